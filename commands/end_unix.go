//go:build unix

package commands

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// interrupt does what the terminal does at ^C where it is not raw: all of the foreground job gets SIGINT.
func interrupt() {
	signal.Reset(unix.SIGINT)
	if unix.Kill(0, unix.SIGINT) == nil {
		<-time.After(time.Second) // it arrives at once, unless our caller made us ignore it
	}
}

// endBy ends this process by the signal sig, when it is one that ends processes: a shell script is
// interrupted by ^C only when what it runs ends by it too.
func endBy(sig os.Signal) {
	s, ok := sig.(syscall.Signal)
	if !ok || s == unix.SIGQUIT { // Go answers SIGQUIT with a dump of itself
		return
	}
	signal.Reset(s)
	if unix.Kill(os.Getpid(), s) == nil {
		<-time.After(time.Second) // it arrives at once, unless our caller made us ignore it
	}
}

// signalName returns the name of sig, "SIGINT", or "none".
func signalName(sig os.Signal) string {
	if s, ok := sig.(syscall.Signal); ok {
		return unix.SignalName(s)
	}
	return "none"
}

// outliveReaders has a reader that is gone be an error, and no end.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// inForeground reports whether we may read the terminal f: a background job that does is stopped.
func inForeground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
