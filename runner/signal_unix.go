//go:build unix

package runner

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	sigHangUp   = unix.SIGHUP
	sigContinue = unix.SIGCONT
)

// signalNumber returns the signal called name, without "SIG" or with it, or by number.
func signalNumber(name string) (syscall.Signal, error) {
	if n, err := strconv.Atoi(name); err == nil && n > 0 && n < 65 {
		return syscall.Signal(n), nil
	}
	name = strings.ToUpper(name)
	if sig := unix.SignalNum("SIG" + strings.TrimPrefix(name, "SIG")); sig != 0 {
		return sig, nil
	}
	return 0, fmt.Errorf("no signal is called %q", name)
}

// signalName returns the name of a signal, "SIGTERM", or "signal 34" for one that has none.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return "signal " + strconv.Itoa(int(sig))
}

// fromKeyboard reports whether a terminal sends sig to what runs in front, for the command to act on.
func fromKeyboard(sig os.Signal) bool { return sig == unix.SIGINT || sig == unix.SIGQUIT }

// signalOf returns the name of a signal that this process was sent.
func signalOf(sig os.Signal) string {
	if s, ok := sig.(syscall.Signal); ok {
		return signalName(s)
	}
	return sig.String()
}
