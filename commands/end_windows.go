package commands

import (
	"os"
	"syscall"
)

// endBy does nothing: no process ends by a signal, so that its parent could not tell.
func endBy(os.Signal) {}

// signalName returns the name of sig, "SIGINT" for os.Interrupt and else "SIGTERM" (os/signal), or "none".
func signalName(sig os.Signal) string {
	switch sig {
	case nil:
		return "none"
	case syscall.SIGINT:
		return "SIGINT"
	}
	return "SIGTERM"
}

// interrupt does nothing: no terminal is passed through.
func interrupt() {}

// outliveReaders does nothing: no signal tells of readers here.
func outliveReaders() {}

// inForeground reports whether we may read a console, which everybody may.
func inForeground(*os.File) bool { return true }
