//go:build unix

package proc

import "syscall"

// resume lets a stopped process act on the signal that it was just sent. SIGKILL
// needs no help, and a signal of job control means what it says.
func resume(h *handle, sent syscall.Signal) {
	switch sent {
	case 0, syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT:
	default:
		_ = h.signal(syscall.SIGCONT) // it took the first signal; if it is gone now, all the better
	}
}
