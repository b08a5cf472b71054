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

// interrupt does what a terminal that is not raw does at ^C: it sends SIGINT to the whole foreground job.
func interrupt() {
	signal.Reset(unix.SIGINT)
	if unix.Kill(0, unix.SIGINT) == nil {
		<-time.After(time.Second) // the signal arrives at once, unless the caller made this process ignore it
	}
}

// endBy ends this process by the signal sig, if sig ends processes. ^C interrupts a shell script only if the program
// in it also ends by the signal.
func endBy(sig os.Signal) {
	s, ok := sig.(syscall.Signal)
	if !ok || s == unix.SIGQUIT { // Go answers SIGQUIT with a stack dump
		return
	}
	signal.Reset(s)
	if unix.Kill(os.Getpid(), s) == nil {
		<-time.After(time.Second) // the signal arrives at once, unless the caller made this process ignore it
	}
}

// signalName returns the name of sig, such as "SIGINT", or "none".
func signalName(sig os.Signal) string {
	if s, ok := sig.(syscall.Signal); ok {
		return unix.SignalName(s)
	}
	return "none"
}

// ignoreBrokenPipes turns a reader that is gone into a write error. Otherwise SIGPIPE would end this process.
func ignoreBrokenPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// inForeground reports whether this process may read the terminal f. A background job that reads a terminal is
// stopped. A terminal that is gone may be read, because the read reports that.
func inForeground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// A foregroundReader reads a terminal only while this process is in the foreground. A background job that reads a
// terminal is stopped.
type foregroundReader struct{ f *os.File }

// foregroundLook is the interval at which a background job checks whether it is in the foreground. A shell that moves
// it there does not tell it.
const foregroundLook = 300 * time.Millisecond

func (r foregroundReader) Read(p []byte) (int, error) {
	for {
		if !inForeground(r.f) {
			<-time.After(foregroundLook)
			continue
		}
		ready := []unix.PollFd{{Fd: int32(r.f.Fd()), Events: unix.POLLIN}}
		switch _, err := unix.Poll(ready, -1); {
		case errors.Is(err, unix.EINTR), err == nil && !inForeground(r.f): // interrupted, or the typed text is for another job
		case err != nil:
			return 0, err
		default:
			return r.f.Read(p)
		}
	}
}
