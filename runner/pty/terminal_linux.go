package pty

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// blockingMaster says whether the master of a PTY is read in blocking mode.
const blockingMaster = false

// inputQueue asks how much input waits, ioctl_tty(2).
const inputQueue = unix.TIOCINQ

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
