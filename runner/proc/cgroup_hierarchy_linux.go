package proc

import (
	"os"
	"slices"
	"strings"
)

// A cgroupHierarchy is a mounted hierarchy of control groups that supports freezing.
type cgroupHierarchy struct {
	path     string
	root     string // the group at the mount point
	version2 bool   // cgroup version 2
}

// cgroupHierarchies finds these hierarchies in proc_pid_mountinfo(5).
func cgroupHierarchies(mounts string) []cgroupHierarchy {
	var found []cgroupHierarchy
	for line := range strings.Lines(mounts) {
		// 33 32 0:29 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
		before, after, ok := strings.Cut(line, " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(kind) < 3 {
			continue
		}
		switch {
		case kind[0] == "cgroup2":
			found = append(found, cgroupHierarchy{unescape(fields[4]), fields[3], true})
		case kind[0] == "cgroup" && slices.Contains(strings.Split(kind[2], ","), "freezer"):
			found = append(found, cgroupHierarchy{unescape(fields[4]), fields[3], false})
		}
	}
	return found
}

// unescape replaces the octal escapes in a path of mountinfo.
func unescape(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}

// folder returns the folder where the group with this path is mounted.
func (h cgroupHierarchy) folder(group string) string {
	if h.root != "/" {
		rest, ok := strings.CutPrefix(group, h.root)
		if !ok {
			return ""
		}
		group = rest
	}
	return strings.TrimSuffix(h.path+group, "/")
}

// groupIn returns the path of a process's group in this hierarchy. cgroup is the proc_pid_cgroup(5) of the process.
func (h cgroupHierarchy) groupIn(cgroup string) (path string, ok bool) {
	for line := range strings.Lines(cgroup) {
		number, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		if h.version2 && number == "0" && controllers == "" || !h.version2 && slices.Contains(strings.Split(controllers, ","), "freezer") {
			return path, true
		}
	}
	return "", false
}

// FrozenGroup returns the folder of the frozen control group that the process is in. It returns "" if the process is
// not frozen, or if the system does not tell.
func FrozenGroup(pid int) string {
	cgroup, err := os.ReadFile(Folder(pid) + "/cgroup")
	if err != nil {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	for _, h := range cgroupHierarchies(string(mounts)) {
		group, ok := h.groupIn(string(cgroup))
		if !ok {
			continue
		}
		folder := h.folder(group)
		if h.version2 {
			events, err := os.ReadFile(folder + "/cgroup.events")
			if err == nil && strings.Contains(string(events), "frozen 1") {
				return folder
			}
		} else if state, err := os.ReadFile(folder + "/freezer.state"); err == nil && strings.HasPrefix(string(state), "FR") {
			return folder
		}
	}
	return ""
}
