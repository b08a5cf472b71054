package proc

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cgroupMounts are where the hierarchy of version 2 is mounted: alone, or beside those of version 1.
var cgroupMounts = []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}

// cgroupRoot returns where the hierarchy of version 2 is mounted, "" where it is not.
func cgroupRoot() string {
	for _, mount := range cgroupMounts {
		var fs unix.Statfs_t
		if unix.Statfs(mount, &fs) == nil && fs.Type == unix.CGROUP2_SUPER_MAGIC {
			return mount
		}
	}
	return ""
}

// ownCgroup returns the folder of the cgroup that this process is in, "" where there is none.
func ownCgroup() string {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok && path.IsAbs(name) && path.Clean(name) == name {
			if root := cgroupRoot(); root != "" {
				return filepath.Join(root, name)
			}
		}
	}
	return ""
}

// NewCgroup makes a cgroup for the session id, where we may: as root, and in one that was delegated to us. A holder that
// was started from within a session leaves that one's.
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

// Remove deletes the cgroup, and those that the programs have made in it, unless a process is in them.
func (g Cgroup) Remove() {
	if g.Path == "" {
		return
	}
	if os.Remove(g.Path) == nil {
		return
	}
	for _, folder := range g.folders() {
		_ = os.Remove(folder) // one with a process in it stays
	}
}

// abandoned is the age of a cgroup that has no process and never gets one.
const abandoned = time.Hour

// RemoveOthers deletes the cgroups beside this one that holders left which were killed, and that nobody else deletes when
// their state folders are gone. One with a process in it stays.
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

// folders returns the cgroups within this one and itself, the innermost first.
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
			if pid, err := strconv.Atoi(field); err == nil && pid > 0 { // 0 is one that we cannot see
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// CgroupOf returns the cgroup of the session id that its record names, if it can be that one: a file is never trusted.
func CgroupOf(id, name string) Cgroup {
	root := cgroupRoot()
	if root == "" || filepath.Base(name) != cgroupPrefix+id || filepath.Clean(name) != name || !strings.HasPrefix(name, root+"/") {
		return Cgroup{}
	}
	return Cgroup{name}
}
