//go:build unix

package commands

import (
	"errors"
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

// inForeground reports whether we may read the terminal f: a background job that does is stopped. One that is gone may be
// read, to learn that.
func inForeground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// A foregroundReader reads a terminal while we may: a background job that does is stopped.
type foregroundReader struct{ f *os.File }

// foregroundLook is how often a background job looks whether it is in front now: a shell that puts it there does not say so.
const foregroundLook = 300 * time.Millisecond

func (r foregroundReader) Read(p []byte) (int, error) {
	for {
		if !inForeground(r.f) {
			<-time.After(foregroundLook)
			continue
		}
		ready := []unix.PollFd{{Fd: int32(r.f.Fd()), Events: unix.POLLIN}}
		switch _, err := unix.Poll(ready, -1); {
		case errors.Is(err, unix.EINTR), err == nil && !inForeground(r.f): // what is typed is for somebody else
		case err != nil:
			return 0, err
		default:
			return r.f.Read(p)
		}
	}
}
