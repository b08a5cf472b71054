//go:build unix

package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	SigHangUp   = unix.SIGHUP
	SigContinue = unix.SIGCONT
)

// ParseSignal returns the signal with a name, with or without "SIG", or with a number.
func ParseSignal(name string) (syscall.Signal, error) {
	if n, err := strconv.Atoi(name); err == nil && n > 0 && n < 65 {
		return syscall.Signal(n), nil
	}
	if sig := unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(name), "SIG")); sig != 0 {
		return sig, nil
	}
	return 0, fmt.Errorf("no signal is called %q: use a name such as HUP, or a number from 1 to 64", name)
}

// SignalName returns the name of a signal, such as "SIGTERM", or "signal 34" for a signal without a name.
func SignalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return "signal " + strconv.Itoa(int(sig))
}

// SignalNames returns the names of the signals that ParseSignal knows, without "SIG", in the order of their numbers.
func SignalNames() (names []string) {
	for n := syscall.Signal(1); n < 65; n++ {
		if name := unix.SignalName(n); name != "" {
			names = append(names, strings.TrimPrefix(name, "SIG"))
		}
	}
	return names
}

// FromKeyboard reports whether a terminal sends sig to the foreground processes, for the command to act on.
func FromKeyboard(sig os.Signal) bool { return sig == unix.SIGINT || sig == unix.SIGQUIT }

// SignalOf returns the name of a signal that this process received.
func SignalOf(sig os.Signal) string {
	if s, ok := sig.(syscall.Signal); ok {
		return SignalName(s)
	}
	return sig.String()
}

// resume lets a stopped process act on the signal that it was just sent. It does nothing after SIGKILL, which needs no
// help. It does nothing after a signal of job control either, because that signal has its own effect.
func resume(h *handle, sent syscall.Signal) {
	switch sent {
	case 0, syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT:
	default:
		_ = h.signal(syscall.SIGCONT) // the first signal arrived; the process may be gone now
	}
}
