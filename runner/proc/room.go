package proc

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrNoFork says that the system has no room for another process or thread.
var ErrNoFork = errors.New("no room for another process")

// ErrNoTerminal says that the system has no room for another pseudoterminal, pts(4).
var ErrNoTerminal = errors.New("no pseudoterminal is left (kernel.pty.max)")

// ErrTerminalRefused says that this process can open no pseudoterminal at all: there is no /dev/ptmx or no devpts, or its use is not allowed.
var ErrTerminalRefused = errors.New("no terminal")

// ForkError returns err, which a fork has returned, as a kind of ErrNoFork if it says so. A program knows EAGAIN from many
// other calls.
func ForkError(err error) error {
	if errors.Is(err, syscall.EAGAIN) {
		return fmt.Errorf("%w: %w", ErrNoFork, err)
	}
	return err
}

// RoomForProcesses returns an error if the user of this process may have fewer than n processes and threads. The error is a
// kind of ErrNoFork. Go's runtime ends a process that gets no further thread, with a trace of all that runs.
func RoomForProcesses(n int) error {
	if most := mostProcesses(); most >= 0 && most < n {
		return fmt.Errorf("%w: this user can have %d processes and threads, and a session needs %d", ErrNoFork, most, n)
	}
	return nil
}

// RoomForFiles returns an error if the limit of open files of this process is below limit, or leaves it fewer than free
// more. The error is a kind of EMFILE. A program looks before it opens its first file: Go's runtime ends a process that
// finds no room for the two files of its poller, with a trace of all that runs.
func RoomForFiles(limit, free int) error {
	most, open := openFiles()
	switch {
	case most < 0:
		return nil
	case most < limit:
		return fmt.Errorf("%w: at most %d can be open, and a session needs %d", syscall.EMFILE, most, limit)
	case most-open < free:
		return fmt.Errorf("%w: at most %d can be open, of which %d are, and %d more are needed", syscall.EMFILE, most, open, free)
	}
	return nil
}

// FileLimit returns the soft limit of open files (RLIMIT_NOFILE, getrlimit(2)) with which this process was started, or 0 where what it
// starts has that limit anyway.
func FileLimit() uint64 { return fileLimit() }
