//go:build linux && !amd64 && !arm64

package start

import "syscall"

// vfork forks with a copy of the memory. So the parent does not learn from a child why it failed: a holder that could not
// be started has ended at once.
//
//go:norace
//go:nosplit
func vfork() (pid, errno uintptr) {
	pid, _, e := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	return pid, uintptr(e)
}
