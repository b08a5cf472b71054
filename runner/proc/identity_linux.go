package proc

import (
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

func boot() string {
	// Some sandboxes lack the file. Then the boot has no name.
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

func identify(pid int) (ID, error) {
	info, err := read(pid)
	return info.ID, err
}

// hasPidfs reports whether a pidfd is a file of pidfs. The inode numbers of pidfs are unique for a boot. Before Linux
// 6.9 all pidfds shared one anonymous inode.
var hasPidfs = sync.OnceValue(func() bool {
	fd, err := openPidfd(os.Getpid())
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var fs unix.Statfs_t
	return unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.PID_FS_MAGIC
})

// openPidfd opens the process that has pid now. An error other than ErrGone has one of three causes: the kernel has no
// pidfds (before 5.3), a sandbox refuses them, or we have no descriptors left.
func openPidfd(pid int) (fd int, err error) {
	fd, err = unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
		return -1, ErrGone // the last two mean a thread that is not the main thread
	case err != nil:
		return -1, err
	}
	return fd, nil
}

// inode returns the number of the process behind a pidfd, or 0 if it has none.
func inode(pidfd int) uint64 {
	var st unix.Stat_t
	if !hasPidfs() || unix.Fstat(pidfd, &st) != nil {
		return 0
	}
	return st.Ino
}

// ended reports whether the process behind a pidfd has exited, whether or not its parent has waited for it. The state
// in /proc can mislead when the main thread ends before the others. This check does not.
func ended(pidfd int) bool {
	fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

// reaped reports whether the process behind a pidfd has given up its pid.
func reaped(pidfd int) bool {
	return errors.Is(unix.PidfdSendSignal(pidfd, 0, nil, 0), unix.ESRCH)
}

func started(ticks uint64) time.Time {
	var sinceBoot unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &sinceBoot); err != nil {
		return time.Time{}
	}
	age := time.Duration(sinceBoot.Nano()) - time.Duration(ticks)*tick
	return time.Now().Add(-age)
}
