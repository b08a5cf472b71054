package pty

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

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
