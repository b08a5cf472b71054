package proc

import (
	"fmt"
	"time"
)

// Info is one process as the kernel describes it now. What the platform does not
// tell is zero.
type Info struct {
	ID

	Parent  int // pid of the parent; 0 for the first process and for a parent outside of our pid namespace
	Group   int // process group; not on Windows
	Session int // session id
	TTY     int // device number of the controlling terminal, 0 when there is none; not on Windows

	// Name is the name of the program, not its path: on Linux and macOS at most 15
	// bytes, on FreeBSD 19, which the process may set to anything, also to what is not
	// UTF-8.
	Name string

	// State is the letter of ps(1): R running, S sleeping, D in an uninterruptible
	// sleep, T stopped, t stopped by a tracer, Z zombie, I idle kernel thread. On
	// Windows it is R.
	State byte

	CPU     time.Duration // processor time used so far, user and system; not on macOS
	Threads int           // not on macOS
	Memory  uint64        // resident bytes; only on Linux, where it is as exact as the kernel keeps it

	// ChildFaults counts the page faults of the children that it has waited for. Each child has some, so that one that
	// came and went shows; only on Linux.
	ChildFaults uint64
}

// Ended reports whether the process has exited and only waits for its parent to
// notice. Its main thread may be a zombie while other threads go on: that process
// has not ended.
func (p Info) Ended() bool {
	return p.State == 'X' || p.State == 'Z' && p.Threads <= 1
}

// Read describes the process that has pid now, from proc_pid_stat(5) on Linux,
// sysctl(3) kern.proc on macOS and FreeBSD, CreateToolhelp32Snapshot on Windows. Its
// errors are those of [Identify], and on FreeBSD [errors.ErrUnsupported] where the
// kernel has no boot id or describes processes in another form.
func Read(pid int) (Info, error) {
	if pid <= 0 {
		return Info{}, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	info, err := read(pid)
	if err != nil {
		return Info{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return info, nil
}

// CommandLine returns the arguments of the process that has pid now, the program
// first. They are what the process shows, which it may have overwritten. The
// result is nil for a zombie, a kernel thread, a process that is gone and one
// that we may not look at.
func CommandLine(pid int) []string {
	if pid <= 0 {
		return nil
	}
	return commandLine(pid)
}
