package runner

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Windows has no signals. It can interrupt a process group, which SIGINT stands for, and end a process
// at once, which SIGTERM and SIGKILL do; a closed terminal ends what ran in it. Nothing continues.
const (
	sigHangUp   = syscall.SIGTERM
	sigContinue = syscall.Signal(0)
)

// signalNumber returns what the signal called name comes to, with its names and numbers of signal.h.
func signalNumber(name string) (syscall.Signal, error) {
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

// signalName returns the name of one of the signals that signalNumber returns.
func signalName(sig syscall.Signal) string {
	switch sig {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGKILL:
		return "SIGKILL"
	}
	return "SIGTERM"
}

// fromKeyboard reports whether sig comes from the keyboard, for the command to act on: CTRL_C_EVENT and
// CTRL_BREAK_EVENT are os.Interrupt.
func fromKeyboard(sig os.Signal) bool { return sig == os.Interrupt }

// signalOf returns the name of a signal that this process was sent: os.Interrupt, or SIGTERM for what
// ends the console (os/signal).
func signalOf(sig os.Signal) string {
	s, _ := sig.(syscall.Signal)
	return signalName(s)
}
