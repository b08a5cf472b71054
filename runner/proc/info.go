package proc

import (
	"fmt"
	"syscall"
	"time"
)

// Info describes one process as the kernel reports it now. A field that the platform does not tell is zero.
type Info struct {
	ID

	Parent  int // parent's pid; 0 for the first process, and if the parent is outside our pid namespace
	Group   int // process group; not on Windows
	Session int // session id
	TTY     int // device number of the controlling terminal, 0 if there is none; not on Windows

	Foreground int // foreground process group of the controlling terminal, -1 or 0 if there is none; not on Windows

	// Name is the name of the program, not its path. It has at most 15 bytes on Linux and macOS, and 19 on FreeBSD. The
	// process may set it to anything, even to invalid UTF-8.
	Name string

	// State is the letter of ps(1): R running, S sleeping, D in an uninterruptible sleep, T stopped, t stopped by a
	// tracer, Z zombie, I idle kernel thread. On Windows it is always R.
	State byte

	// StopSignal is the signal that has stopped the process, until the parent learns of that by wait(2): a shell with job control does.
	// Only on Linux; older kernels do not tell.
	StopSignal syscall.Signal

	CPU     time.Duration // processor time used so far, user and system; not on macOS
	Threads int           // not on macOS
	Memory  uint64        // resident bytes; only on Linux, with the precision of the kernel's figure

	// Forked says that the process has executed no program since it was forked: what it runs, and its name, are its parent's.
	// Not on Windows, where there is no fork.
	Forked bool

	// ChildFaults counts the page faults of the children that the process has waited for. Every child has some, so the
	// count shows even a child that came and went. Only on Linux.
	ChildFaults uint64
}

// Ended reports whether the process has exited and only waits for its parent to notice. A process whose main thread is
// a zombie while other threads go on has not ended.
func (p Info) Ended() bool {
	return p.State == 'X' || p.State == 'Z' && p.Threads <= 1
}

// Read describes the process that has pid now. It uses proc_pid_stat(5) on Linux, sysctl(3) kern.proc on macOS and
// FreeBSD, and CreateToolhelp32Snapshot on Windows.
//
// Its errors are those of [Identify]. On FreeBSD it also returns [errors.ErrUnsupported] if the kernel has no boot id
// or describes processes in another form.
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

// CommandLine returns the arguments of the process that has pid now, the program first. The process may have
// overwritten them. The result is nil for a zombie, a kernel thread, a process that is gone, and a process that we have
// no permission to inspect.
func CommandLine(pid int) []string {
	if pid <= 0 {
		return nil
	}
	return commandLine(pid)
}

// All describes all processes that we can see, zombies included, in no particular order. The result is not a snapshot:
// a process that starts or ends during the call may be missing.
func All() []Info { return allProcesses() }

// Usage returns figures for display. cpuPercent is the processor time in percent of one processor, on average since the
// process started. rss is the resident memory in bytes. A figure is 0 if it is unknown, for example because the process
// is gone.
func (p Info) Usage() (cpuPercent float64, rss uint64) { return p.usage() }
