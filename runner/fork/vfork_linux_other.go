//go:build linux && !amd64 && !arm64

package fork

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// shared: see vfork.
const shared = false

// vfork forks with a copy of the memory. So the parent does not learn from a child why it failed: a holder that could not
// be started has ended at once. It knows clone(2) alone.
//
//go:norace
//go:nosplit
func vfork(trap, _, _ uintptr) (pid, errno uintptr) {
	if trap != unix.SYS_CLONE {
		return 0, uintptr(syscall.ENOSYS)
	}
	pid, _, e := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	return pid, uintptr(e)
}
