package proc

import (
	"errors"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

func boot() string {
	// Without the file, as in some sandboxes, the boot has no name.
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

func identify(pid int) (ID, error) {
	info, err := read(pid)
	return info.ID, err
}

// hasPidfs reports whether a pidfd is a file of pidfs, whose inode numbers are
// unique for a boot. Before Linux 6.9 all pidfds shared one anonymous inode.
var hasPidfs = sync.OnceValue(func() bool {
	fd, err := openPidfd(os.Getpid())
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var fs unix.Statfs_t
	return unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.PID_FS_MAGIC
})

// openPidfd opens the process that has pid now. Errors other than ErrGone mean that
// the kernel has no pidfds (before 5.3), that a sandbox refuses them or that we are
// out of descriptors.
func openPidfd(pid int) (fd int, err error) {
	fd, err = unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
		return -1, ErrGone // the last two are a thread that is not the main one
	case err != nil:
		return -1, err
	}
	return fd, nil
}

// inode is the number of the process behind a pidfd, 0 where it has none.
func inode(pidfd int) uint64 {
	var st unix.Stat_t
	if !hasPidfs() || unix.Fstat(pidfd, &st) != nil {
		return 0
	}
	return st.Ino
}

// ended reports whether the process behind a pidfd has exited, waited for or not.
// Unlike the state in /proc it is not misled by a main thread that ended before
// the others.
func ended(pidfd int) bool {
	fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

// reaped reports whether the process behind a pidfd gave its pid back.
func reaped(pidfd int) bool {
	return errors.Is(unix.PidfdSendSignal(pidfd, 0, nil, 0), unix.ESRCH)
}
