package proc

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Windows has no signals. It can interrupt a process group, and SIGINT stands for that. It can end a process at once,
// and SIGTERM and SIGKILL do that. When a terminal closes, Windows ends what ran in it. No signal continues a process.
const (
	SigHangUp   = syscall.SIGTERM
	SigContinue = syscall.Signal(0)
)

// ParseSignal returns the signal that stands here for the signal called name. It knows the names and numbers of
// signal.h.
func ParseSignal(name string) (syscall.Signal, error) {
	switch strings.TrimPrefix(strings.ToUpper(name), "SIG") {
	case "INT", "2", "QUIT", "3", "BREAK", "21":
		return syscall.SIGINT, nil
	case "TERM", "15", "HUP", "1":
		return syscall.SIGTERM, nil
	case "KILL", "9":
		return syscall.SIGKILL, nil
	}
	return 0, fmt.Errorf("no signal is called %q on Windows", name)
}

// SignalName returns the name of a signal that ParseSignal returns.
func SignalName(sig syscall.Signal) string {
	switch sig {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGKILL:
		return "SIGKILL"
	}
	return "SIGTERM"
}

// SignalNames returns names of signals that ParseSignal knows, without "SIG".
func SignalNames() []string { return []string{"HUP", "INT", "QUIT", "KILL", "TERM"} }

// FromKeyboard reports whether sig comes from the keyboard, for the command to act on. CTRL_C_EVENT and
// CTRL_BREAK_EVENT arrive as os.Interrupt.
func FromKeyboard(sig os.Signal) bool { return sig == os.Interrupt }

// SignalOf returns the name of a signal that this process received. That is os.Interrupt, or SIGTERM for an event that
// ends the console (os/signal).
func SignalOf(sig os.Signal) string {
	s, _ := sig.(syscall.Signal)
	return SignalName(s)
}

func resume(*handle, syscall.Signal) {}
