package proc

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func survey() Machine {
	m := Machine{Known: true, PidfdFS: hasPidfs(), Children: listsChildren(), Boot: Boot() != ""}
	if fd, err := openPidfd(os.Getpid()); err != nil {
		m.Pidfd = err
	} else {
		_ = unix.Close(fd)
	}
	var adopts int32
	m.Subreaper = unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&adopts)), 0, 0, 0)
	var now unix.Timespec
	m.Clock = unix.ClockGettime(unix.CLOCK_BOOTTIME, &now)
	m.Group = tryCgroup()
	m.Files = limit(unix.RLIMIT_NOFILE, int64(len(directory("/proc/self/fd"))))
	m.FileSize = limit(unix.RLIMIT_FSIZE, -1)
	own, all := tasks()
	m.Processes = limit(unix.RLIMIT_NPROC, own)
	if os.Geteuid() == 0 {
		m.Processes.Most = -1 // the limit does not apply to root
	}
	m.AllProcesses = Limit{all, numberIn("/proc/sys/kernel/pid_max")}
	m.Terminals = Limit{numberIn("/proc/sys/kernel/pty/nr"), numberIn("/proc/sys/kernel/pty/max")}
	return m
}

// limit returns a limit of getrlimit(2). The Go runtime has already raised the limits that it may raise.
func limit(resource int, used int64) Limit {
	var most unix.Rlimit
	if err := unix.Getrlimit(resource, &most); err != nil || most.Cur >= math.MaxInt64 { // RLIM_INFINITY
		return Limit{used, -1}
	}
	return Limit{used, int64(most.Cur)}
}

// tasks counts the threads of this user, and the threads of all users.
func tasks() (own, all int64) {
	uid := uint32(os.Getuid())
	for _, pid := range PIDs() {
		info, err := readStat(pid)
		if err != nil {
			continue
		}
		n := int64(max(info.Threads, 1))
		all += n
		var st unix.Stat_t
		if unix.Stat(Folder(pid), &st) == nil && st.Uid == uid {
			own += n
		}
	}
	return own, all
}

// numberIn returns the number in a file, or -1 if the file has none, such as for "max".
func numberIn(path string) int64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return -1
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// errNoCgroup says that our own control group is not in the mounted part of the hierarchy.
var errNoCgroup = errors.New("our own group is not in what is mounted here")

// tryCgroup makes a control group below our own, starts a process in it, and removes it.
func tryCgroup() Group {
	g := Group{Pids: noLimit}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return g
	}
	cgroup, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return g
	}
	var own string
	for _, h := range cgroupHierarchies(string(mounts)) {
		group, ok := h.groupIn(string(cgroup))
		if !h.version2 || !ok {
			continue
		}
		g.Mounted, own, g.Path = h.path, h.folder(group), group
	}
	switch {
	case g.Mounted == "":
		return g
	case own == "":
		g.Make = errNoCgroup
		return g
	}
	g.Pids = Limit{numberIn(own + "/pids.current"), numberIn(own + "/pids.max")}
	child := filepath.Join(own, fmt.Sprintf("devtools-doctor-%d", os.Getpid()))
	if err := os.Mkdir(child, 0o755); err != nil {
		g.Make = withoutPath(err)
		return g
	}
	g.Enter = runInCgroup(child)
	g.Make = withoutPath(os.Remove(child))
	return g
}

// runInCgroup starts a process in a group and waits until it has ended.
func runInCgroup(group string) error {
	folder, err := os.Open(group)
	if err != nil {
		return withoutPath(err)
	}
	defer folder.Close()
	cmd := exec.Command("/bin/sh", "-c", ":")
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(folder.Fd())}
	return withoutPath(cmd.Run())
}

// withoutPath returns an error without its path, because the reader learns the path elsewhere.
func withoutPath(err error) error {
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		return failed.Err
	}
	return err
}
