package commands

import (
	"os"
	"syscall"
)

// endBy does nothing. On Windows no process ends by a signal, so a parent could not see it.
func endBy(os.Signal) {}

// signalName returns the name of sig: "SIGINT" for os.Interrupt, otherwise "SIGTERM" (os/signal). It returns "none"
// for nil.
func signalName(sig os.Signal) string {
	switch sig {
	case nil:
		return "none"
	case syscall.SIGINT:
		return "SIGINT"
	}
	return "SIGTERM"
}

// interrupt does nothing, because no terminal is passed through.
func interrupt() {}

// ignoreBrokenPipes does nothing, because Windows has no signal for readers that are gone.
func ignoreBrokenPipes() {}

// A foregroundReader reads a console.
type foregroundReader struct{ f *os.File }

func (r foregroundReader) Read(p []byte) (int, error) { return r.f.Read(p) }
