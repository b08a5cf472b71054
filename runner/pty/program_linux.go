package pty

import (
	"math"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// blockingMaster says whether the master of a PTY is read in blocking mode.
const blockingMaster = false

// TellsDiscards says whether this system tells when input is thrown away unread: packet mode, tty_ioctl(2).
const TellsDiscards = true

// inputQueue asks how much input waits, ioctl_tty(2).
const inputQueue = unix.TIOCINQ

func discardInput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// HangUp closes the holder's slave. From then on, the master ends when the last process that has the terminal
// open closes it.
func (t *Terminal) HangUp() error { return t.Slave.Close() }

// readNow is read(2) of a descriptor that does not block. It does not tell Go's scheduler. Otherwise the
// scheduler's monitor would wake every 20 microseconds of a flood to see whether the call blocks.
func readNow(fd int, p []byte) (n int, err error) {
	r, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if errno != 0 {
		return 0, errno
	}
	return int(r), nil
}

const getTermios = unix.TCGETS

// startedAlone reports whether the starter has closed all descriptors that are not for the holder: it does so where the
// kernel has close_range(2), Linux 5.9.
func startedAlone() bool { return unix.CloseRange(math.MaxInt32, math.MaxInt32, 0) == nil }

// descendants returns the tree of this process, with zombies. What escapes from the tree comes back to this
// process: PR_SET_CHILD_SUBREAPER, prctl(2).
func descendants() []proc.Info { return proc.Tree(os.Getpid()) }

// followTree returns a function that need not wait: once wait4(2) has found no child, the tree is gone.
func followTree() (gone func()) { return func() {} }

// siginfoPID is the offset of the pid in siginfo_t. The pid comes after three numbers, aligned as a pointer
// is, sigaction(2).
const siginfoPID = (3*4 + unsafe.Sizeof(uintptr(0)) - 1) &^ (unsafe.Sizeof(uintptr(0)) - 1)

// peek waits until a child has changed and returns its pid. It leaves the change to be waited for (waitid(2)),
// so that a process that has ended can still be examined. With WNOHANG it returns 0 if no child has changed.
func peek(options int) (pid int, err error) {
	var info unix.Siginfo
	options |= unix.WEXITED | unix.WSTOPPED | unix.WCONTINUED | unix.WNOWAIT
	if err := unix.Waitid(unix.P_ALL, 0, &info, options, nil); err != nil {
		return 0, err
	}
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), siginfoPID))), nil
}

// forkInto starts the command like forkExec, but in the cgroup: CLONE_INTO_CGROUP of clone3(2).
func forkInto(g proc.Cgroup, opts Options, attr *syscall.ProcAttr) (int, error) {
	folder, err := os.Open(g.Path)
	if err != nil {
		return 0, err
	}
	defer folder.Close()
	sys := *attr.Sys
	sys.UseCgroupFD, sys.CgroupFD = true, int(folder.Fd())
	into := *attr
	into.Sys = &sys
	return forkExec(opts, &into)
}
