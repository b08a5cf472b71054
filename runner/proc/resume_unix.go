//go:build unix

package proc

import "syscall"

// resume lets a stopped process act on the signal that it was just sent. It does nothing after SIGKILL, which needs no
// help. It does nothing after a signal of job control either, because that signal has its own effect.
func resume(h *handle, sent syscall.Signal) {
	switch sent {
	case 0, syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT:
	default:
		_ = h.signal(syscall.SIGCONT) // the first signal arrived; the process may be gone now
	}
}
