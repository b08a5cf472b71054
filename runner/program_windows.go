package runner

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

// A change is the end of the main process.
type change struct {
	pid  int
	code uint32 // GetExitCodeProcess
	at   time.Time
	info proc.Info // not of the main process
}

// stopped reports false: no signal stops a process.
func (change) stopped() bool { return false }

// continued reports false likewise.
func (change) continued() bool { return false }

// interrupted reports whether the process ended by CTRL_BREAK_EVENT, or CTRL_C_EVENT, without handling it.
func (c change) interrupted() bool { return c.code == uint32(windows.STATUS_CONTROL_C_EXIT) }

// exitCode returns the exit code, or 128+n as if signal n had ended the process.
func (c change) exitCode() int {
	if c.interrupted() {
		return 128 + int(syscall.SIGINT)
	}
	return int(c.code)
}

// signal returns the name of the signal that ended the process, or "".
func (c change) signal() string {
	if c.interrupted() {
		return signalName(syscall.SIGINT)
	}
	return ""
}

// start starts the command of the options, with stdin as its standard input when it is not nil. It must
// be called once only: the process has one job.
func start(opts programOptions, stdin *os.File, _ func() (*terminal, error), _ cgroup) (*program, error) {
	if !opts.NoTerminal {
		return nil, errTerminal
	}
	p := &program{changes: make(chan []change, 1)}
	inherited, err := p.openPipes(stdin)
	if err != nil {
		return nil, err
	}
	port, err := openJob()
	if err != nil {
		return nil, err
	}
	pid, process, err := startInJob(opts, inherited)
	for _, f := range inherited {
		_ = f.Close() // it is the command's now
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: %w", opts.Command[0], ErrNotFound, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w: %w", opts.Command[0], ErrNotExecutable, err)
	}
	p.pid = pid
	p.id, _ = proc.Identify(pid) // we have a handle, so it has its pid
	go p.wait(process, port)
	return p, nil
}

// wait reports the end of the main process, and closes the channel when no process of the job is left.
func (p *program) wait(process, port windows.Handle) {
	defer close(p.changes)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		awaitJob(port)
	}()
	// The handle is good for both, and stays open: until we exit, the pid is given to nobody else.
	var code uint32
	_, _ = windows.WaitForSingleObject(process, windows.INFINITE)
	_ = windows.GetExitCodeProcess(process, &code)
	p.changes <- []change{{pid: p.pid, code: code, at: time.Now()}}
	<-gone
}

// signal interrupts the command's process group by CTRL_BREAK_EVENT, which reaches what is on our
// console, or ends the whole tree. A new group ignores CTRL_C_EVENT.
func (p *program) signal(sig syscall.Signal) error {
	switch sig {
	case syscall.SIGINT:
		return os.NewSyscallError("GenerateConsoleCtrlEvent", windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.pid)))
	case syscall.SIGTERM, syscall.SIGKILL:
		return os.NewSyscallError("TerminateJobObject", windows.TerminateJobObject(job, 1))
	}
	return errors.ErrUnsupported
}

// openEarly opens nothing: there is no terminal to open.
func openEarly(programOptions) func() (*terminal, error) { return nil }

// prepareHolder makes this process able to hold a session.
func prepareHolder() error {
	// An event for all of the console, which the command shares with us, is not for us.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	folder, err := windows.GetSystemDirectory()
	if err != nil {
		return err
	}
	return os.Chdir(folder) // a working directory cannot be removed
}
