package blocked

import (
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// beingRead reports whether a thread sleeps in a read of the terminal. ok is false where that cannot be found out.
//
// The kernel lets one thread at a time read a terminal (atomic_read_lock of n_tty.c). A read of no bytes that does not block
// takes that lock too: it fails with EAGAIN while another thread has it, and returns 0 otherwise. It takes no input, wakes
// nobody and changes no setting. There is no such question for a thread that polls: only a change of the settings wakes it
// (tcsetattr(3)), and setting them as they are would undo a change that the program makes between our reading and our writing.
func (tty Terminal) beingRead() (reading, ok bool) {
	fd, err := unix.Open("/dev/pts/"+strconv.Itoa(int(unix.Minor(tty.Device))), unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, false
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Rdev != tty.Device || tty.Filesystem != 0 && st.Dev != tty.Filesystem {
		return false, false
	}
	switch readNothing(fd) {
	case unix.EAGAIN:
		return true, true
	case 0:
		return false, true
	}
	return false, false
}

// readNothing reads no bytes from a terminal, and returns the error. It does so in a child that has left our kernel session: to
// the leader of the terminal's own session, which is not in the foreground, job control gives only EIO.
//
// The child is a copy of one thread of ours. Until its end it makes system calls only. No signal tells of its end, and only
// __WCLONE waits for it, so that a wait for any child does not meet it.
func readNothing(fd int) syscall.Errno {
	all, before := ^uint64(0), uint64(0)
	runtime.LockOSThread() // the signal mask belongs to the thread
	defer runtime.UnlockOSThread()
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&before)), 8, 0, 0)
	child, errno := forkReader(uintptr(fd))
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&before)), 0, 8, 0, 0)
	if errno != 0 {
		return unix.ECHILD // its own EAGAIN says that there are too many processes
	}
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(child, &status, unix.WCLONE, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil || !status.Exited():
			return unix.ECHILD
		default:
			return syscall.Errno(status.ExitStatus())
		}
	}
}

// forkReader starts the child of readNothing, whose exit code is the error of its read.
//
//go:norace
//go:nosplit
//go:noinline
func forkReader(fd uintptr) (child int, errno syscall.Errno) {
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, 0, 0, 0, 0, 0, 0)
	if pid != 0 || errno != 0 {
		return int(pid), errno
	}
	_, _, errno = syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
	if errno == 0 {
		_, _, errno = syscall.RawSyscall(syscall.SYS_READ, fd, 0, 0)
	}
	_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(errno), 0, 0)
	return 0, 0
}
