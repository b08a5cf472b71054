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

// A foregroundReader reads a console.
type foregroundReader struct{ f *os.File }

func (r foregroundReader) Read(p []byte) (int, error) { return r.f.Read(p) }
