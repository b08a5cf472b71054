package pty

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// siginfoPID is where siginfo_t has the pid: behind three numbers, and aligned as a pointer is, sigaction(2).
const siginfoPID = (3*4 + unsafe.Sizeof(uintptr(0)) - 1) &^ (unsafe.Sizeof(uintptr(0)) - 1)

// peek waits until a child has changed and returns its pid, but leaves the change, waitid(2): a process that has ended
// can still be asked what it was. With WNOHANG it returns 0 where none has.
func peek(options int) (pid int, err error) {
	var info unix.Siginfo
	options |= unix.WEXITED | unix.WSTOPPED | unix.WCONTINUED | unix.WNOWAIT
	if err := unix.Waitid(unix.P_ALL, 0, &info, options, nil); err != nil {
		return 0, err
	}
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), siginfoPID))), nil
}
