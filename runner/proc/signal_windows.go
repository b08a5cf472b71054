package proc

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Windows has no signals. It can interrupt a process group, which SIGINT stands for, and end a process
// at once, which SIGTERM and SIGKILL do; a closed terminal ends what ran in it. Nothing continues.
const (
	SigHangUp   = syscall.SIGTERM
	SigContinue = syscall.Signal(0)
)

// SignalNumber returns what the signal called name comes to, with its names and numbers of signal.h.
func SignalNumber(name string) (syscall.Signal, error) {
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

// SignalName returns the name of one of the signals that signalNumber returns.
func SignalName(sig syscall.Signal) string {
	switch sig {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGKILL:
		return "SIGKILL"
	}
	return "SIGTERM"
}

// FromKeyboard reports whether sig comes from the keyboard, for the command to act on: CTRL_C_EVENT and
// CTRL_BREAK_EVENT are os.Interrupt.
func FromKeyboard(sig os.Signal) bool { return sig == os.Interrupt }

// SignalOf returns the name of a signal that this process was sent: os.Interrupt, or SIGTERM for what
// ends the console (os/signal).
func SignalOf(sig os.Signal) string {
	s, _ := sig.(syscall.Signal)
	return SignalName(s)
}
