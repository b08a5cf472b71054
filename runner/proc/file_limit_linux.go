//go:build amd64 || arm64

package proc

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// raiseFileLimit gives this process its raised limit again: fork.Start gives a program the limit that it is to have. unix.Setrlimit
// would make package syscall forget what it sets for other programs.
func raiseFileLimit(limit unix.Rlimit) {
	_, _, _ = syscall.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}
