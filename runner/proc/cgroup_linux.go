package proc

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// cgroupMounts are the usual mount points of the version 2 hierarchy: alone, or beside the hierarchies of version 1.
var cgroupMounts = []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}

// cgroupRoot returns the mount point of the version 2 hierarchy, or "" if it is not mounted.
func cgroupRoot() string {
	for _, mount := range cgroupMounts {
		var fs unix.Statfs_t
		if unix.Statfs(mount, &fs) == nil && fs.Type == unix.CGROUP2_SUPER_MAGIC {
			return mount
		}
	}
	return ""
}

// ownGroups returns the control groups that this process was in when it first asked, proc_pid_cgroup(5).
var ownGroups = sync.OnceValue(func() string {
	data, _ := os.ReadFile("/proc/self/cgroup") // a kernel without it has no groups
	return string(data)
})

// ownCgroup returns the folder of the cgroup that this process is in, or "" if there is none.
func ownCgroup() string {
	for line := range strings.Lines(ownGroups()) {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok && path.IsAbs(name) && path.Clean(name) == name {
			if root := cgroupRoot(); root != "" {
				return filepath.Join(root, name)
			}
		}
	}
	return ""
}

// mostTasks returns how many processes and threads the control group of this process may have (pids.max, cgroups(7)), or -1 for
// many. What the groups around it may have is not looked at: within a container they cannot be seen.
func mostTasks() int {
	folder := ownCgroup()
	if _, rest, ok := strings.Cut(ownGroups(), ":pids:"); ok { // version 1
		name, _, _ := strings.Cut(rest, "\n")
		folder = filepath.Join("/sys/fs/cgroup/pids", name)
	}
	text, _ := os.ReadFile(folder + "/pids.max") // the outermost group has none
	if most, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		return most
	}
	return -1 // it is "max"
}

// NewCgroup makes a cgroup for the session id where the system permits it: for root, and in a cgroup that was delegated
// to us. A holder that was started within a session first leaves the cgroup of that session.
func NewCgroup(id string) Cgroup {
	own := ownCgroup()
	if own == "" {
		return Cgroup{}
	}
	if strings.HasPrefix(filepath.Base(own), cgroupPrefix) {
		own = filepath.Dir(own)
		if os.WriteFile(own+"/cgroup.procs", []byte(strconv.Itoa(os.Getpid())), 0) != nil {
			return Cgroup{}
		}
	}
	g := Cgroup{filepath.Join(own, cgroupPrefix+id)}
	if os.Mkdir(g.Path, 0o755) != nil {
		return Cgroup{}
	}
	return g
}

// Remove deletes the cgroup, and the cgroups that programs have made in it. A cgroup with a process in it stays.
func (g Cgroup) Remove() {
	if g.Path == "" {
		return
	}
	if os.Remove(g.Path) == nil {
		return
	}
	for _, folder := range g.folders() {
		_ = os.Remove(folder) // a cgroup with a process in it stays
	}
}

// abandoned is the age from which RemoveOthers takes a cgroup without processes for abandoned.
const abandoned = time.Hour

// RemoveOthers deletes old cgroups beside this one, which killed holders left behind. Nothing else deletes them once
// their state folders are gone. A cgroup with a process in it stays.
func (g Cgroup) RemoveOthers() {
	if g.Path == "" {
		return
	}
	parent := filepath.Dir(g.Path)
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), cgroupPrefix) {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			Cgroup{filepath.Join(parent, entry.Name())}.Remove()
		}
	}
}

// folders returns this cgroup and the cgroups within it, the innermost first.
func (g Cgroup) folders() []string {
	entries, err := os.ReadDir(g.Path)
	if err != nil {
		return nil
	}
	var all []string
	for _, entry := range entries {
		if entry.IsDir() {
			all = append(all, Cgroup{filepath.Join(g.Path, entry.Name())}.folders()...)
		}
	}
	return append(all, g.Path)
}

// Pids returns the processes that are in the cgroup.
func (g Cgroup) Pids() []int {
	if g.Path == "" {
		return nil
	}
	var pids []int
	for _, folder := range g.folders() {
		data, err := os.ReadFile(folder + "/cgroup.procs")
		if err != nil {
			continue
		}
		for field := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil && pid > 0 { // 0 stands for a process that we cannot see
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// CgroupOf returns the cgroup that the record of the session id names. It returns none if the name cannot be a cgroup
// of that session, because a file is never trusted.
func CgroupOf(id, name string) Cgroup {
	root := cgroupRoot()
	if root == "" || filepath.Base(name) != cgroupPrefix+id || filepath.Clean(name) != name || !strings.HasPrefix(name, root+"/") {
		return Cgroup{}
	}
	return Cgroup{name}
}
