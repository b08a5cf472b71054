package pty

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/windows"

	"devtools/runner/proc"
)

// A Change is the end of the main process.
type Change struct {
	PID  int
	code uint32 // from GetExitCodeProcess
	At   time.Time
	Info proc.Info // not for the main process
}

// Stopped reports false: on Windows no signal stops a process.
func (Change) Stopped() bool { return false }

// Continued reports false, because no process is stopped.
func (Change) Continued() bool { return false }

// interrupted reports whether CTRL_BREAK_EVENT or CTRL_C_EVENT has ended the process, which did not handle it.
func (c Change) interrupted() bool { return c.code == uint32(windows.STATUS_CONTROL_C_EXIT) }

// ExitCode returns the exit code, or 128+n as if signal n had ended the process.
func (c Change) ExitCode() int {
	if c.interrupted() {
		return 128 + int(syscall.SIGINT)
	}
	return int(c.code)
}

// Signal returns the name of the signal that ended the process, or "".
func (c Change) Signal() string {
	if c.interrupted() {
		return proc.SignalName(syscall.SIGINT)
	}
	return ""
}

// Start starts the command of the options. If stdin is not nil, it becomes the standard input. Start must be
// called only once: the process has one job.
func Start(opts Options, stdin *os.File, _ func() (*Terminal, error), _ proc.Cgroup) (*Program, error) {
	if !opts.NoTerminal {
		return nil, errTerminal
	}
	p := &Program{Changes: make(chan []Change, 1)}
	inherited, err := p.openPipes(opts, stdin)
	if err != nil {
		return nil, err
	}
	port, err := openJob()
	if err != nil {
		return nil, err
	}
	pid, process, err := startInJob(opts, inherited)
	for _, f := range inherited {
		_ = f.Close() // the command has its own copy now
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: %w", opts.Command[0], proc.ErrNotFound, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w: %w", opts.Command[0], proc.ErrNotExecutable, err)
	}
	p.PID = pid
	p.ID, _ = proc.Identify(pid) // we have a handle, so the process still has its pid
	go p.wait(process, port)
	return p, nil
}

// wait reports the end of the main process. It closes the channel when no process of the job is left.
func (p *Program) wait(process, port windows.Handle) {
	defer close(p.Changes)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		awaitJob(port)
	}()
	// The handle is good for both calls, and stays open. Until we exit, no other process gets the pid.
	var code uint32
	_, _ = windows.WaitForSingleObject(process, windows.INFINITE)
	_ = windows.GetExitCodeProcess(process, &code)
	p.Changes <- []Change{{PID: p.PID, code: code, At: time.Now()}}
	<-gone
}

// Signal interrupts the command's process group by CTRL_BREAK_EVENT, which reaches the processes on our
// console. For SIGTERM and SIGKILL it ends the whole tree. A new group ignores CTRL_C_EVENT.
func (p *Program) Signal(sig syscall.Signal) error {
	switch sig {
	case syscall.SIGINT:
		return os.NewSyscallError("GenerateConsoleCtrlEvent", windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.PID)))
	case syscall.SIGTERM, syscall.SIGKILL:
		return os.NewSyscallError("TerminateJobObject", windows.TerminateJobObject(job, 1))
	}
	return errors.ErrUnsupported
}

// Printed reports false: the reader waits for output in a read, and gets it at once.
func (p *Program) Printed() bool { return false }

// OpenEarly opens nothing: there is no terminal to open.
func OpenEarly(Options) func() (*Terminal, error) { return nil }

// PrepareHolder makes this process able to hold a session.
func PrepareHolder() error {
	// An event for the whole console, which the command shares with us, is not for us.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	folder, err := windows.GetSystemDirectory()
	if err != nil {
		return err
	}
	return os.Chdir(folder) // a working directory cannot be removed
}
