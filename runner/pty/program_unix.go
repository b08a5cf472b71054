//go:build unix

package pty

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"devtools/ledger/transcript"
	"devtools/runner/fork"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// A Change is one answer of wait4(2).
type Change struct {
	PID    int
	status syscall.WaitStatus
	At     time.Time
	Info   proc.Info // description of the process, where known; not for the main process
}

// Stopped reports whether a signal has stopped the process, which still lives.
func (c Change) Stopped() bool { return c.status.Stopped() }

// Continued reports whether the process was stopped and goes on.
func (c Change) Continued() bool { return c.status.Continued() }

// ExitCode returns the exit code, or 128+n when signal n ended the process.
func (c Change) ExitCode() int {
	if c.status.Signaled() {
		return 128 + int(c.status.Signal())
	}
	return c.status.ExitStatus()
}

// Signal returns the name of the signal that ended the process, or "".
func (c Change) Signal() string {
	if !c.status.Signaled() {
		return ""
	}
	return proc.SignalName(c.status.Signal())
}

// OpenEarly opens the terminal of the options while other work is done. It returns the function that waits for
// the terminal, or nil if the options want none.
func OpenEarly(opts Options) func() (*Terminal, error) {
	if opts.NoTerminal {
		return nil
	}
	type result struct {
		tty *Terminal
		err error
	}
	results := make(chan result, 1)
	go func() {
		tty, err := openTerminal(opts.Size)
		results <- result{tty, err}
	}()
	return func() (*Terminal, error) {
		r := <-results
		return r.tty, r.err
	}
}

// Start starts the command of the options. If stdin is not nil, it becomes the standard input. The command
// gets the terminal that OpenEarly has opened, and runs in the cgroup, if there is one. Start must be called
// only once, in a process that has no other children: its waiting takes the exit of every child.
func Start(opts Options, stdin *os.File, opened func() (*Terminal, error), group proc.Cgroup) (*Program, error) {
	p := &Program{Changes: make(chan []Change, 16)}
	attr := &syscall.ProcAttr{Dir: opts.Cwd, Env: opts.Env, Sys: &syscall.SysProcAttr{Setpgid: true}}
	var inherited []*os.File // our copies of the command's files
	var err error
	if opts.NoTerminal {
		inherited, err = p.openPipes(opts, stdin)
	} else {
		inherited, err = p.useTerminal(opened, stdin)
	}
	if err != nil {
		return nil, err
	}
	inherited = append(inherited, opts.Files...)
	for _, f := range inherited {
		attr.Files = append(attr.Files, f.Fd())
	}
	if p.Tty != nil {
		attr.Sys.Foreground = true
		attr.Sys.Ctty = int(p.Tty.Slave.Fd())
	}
	done, err := opts.prepareFork(p.Tty)
	if err != nil {
		return nil, err
	}
	defer done()
	// Until the command is started, every signal has its default action or a handler, which exec resets. The
	// command would also ignore any signal that the holder ignores.
	handleAll()
	if p.InCgroup = group.Path != ""; p.InCgroup {
		p.PID, err = forkInto(group, opts, attr)
		p.InCgroup = err == nil
	}
	if !p.InCgroup { // if it cannot be started in the cgroup, it can without
		p.PID, err = forkExec(opts, attr)
	}
	ignoreTerminal()
	for _, f := range inherited {
		if p.Tty == nil || f != p.Tty.Slave {
			_ = f.Close() // the command has its own copy now
		}
	}
	if err != nil {
		return nil, err
	}
	if p.ID, err = proc.Identify(p.PID); err != nil { // it is not reaped yet, so it still has its pid
		p.ID = proc.ID{PID: p.PID, Boot: proc.Boot()}
	}
	go p.wait(followTree())
	return p, nil
}

// forkExec starts the command. It runs a script without an interpreter line with a shell, as execvp(3) does.
func forkExec(opts Options, attr *syscall.ProcAttr) (int, error) {
	pid, err := opts.fork(opts.Path, opts.Command, attr)
	if err == syscall.ENOEXEC && isBinary(opts.Path) {
		return 0, fmt.Errorf("%s: %w: it is in no format that this machine runs: it may be for another one", opts.Command[0], proc.ErrNotExecutable)
	}
	if err == syscall.ENOEXEC {
		pid, err = opts.fork("/bin/sh", append([]string{"sh", opts.Path}, opts.Command[1:]...), attr)
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return 0, notFound(opts, err)
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		if isA[syscall.Errno](err) {
			err = os.NewSyscallError("fork", err)
		}
		return 0, fmt.Errorf("%s: %w", opts.Command[0], proc.ForkError(err))
	case err != nil && !isA[syscall.Errno](err):
		return 0, err
	case err != nil:
		return 0, fmt.Errorf("%s: %w: %w", opts.Command[0], proc.ErrNotExecutable, err)
	}
	return pid, nil
}

// isA reports whether the error itself, not one that it wraps, is of a type.
func isA[E error](err error) bool {
	_, ok := err.(E)
	return ok
}

// prepareFork sets how the program is started, and returns what is to be called afterwards.
func (opts *Options) prepareFork(tty *Terminal) (done func(), err error) {
	if opts.Isolate == nil {
		opts.fork = func(path string, argv []string, attr *syscall.ProcAttr) (int, error) {
			return fork.Start(path, argv, attr, opts.Settings)
		}
		return func() {}, nil
	}
	device := ""
	if tty != nil {
		device = tty.Slave.Name()
	}
	opts.fork, done, err = opts.Isolate(device)
	return done, err
}

func (p *Program) useTerminal(opened func() (*Terminal, error), stdin *os.File) ([]*os.File, error) {
	tty, err := opened()
	if err != nil {
		return nil, err
	}
	p.Tty = tty
	p.Outputs, p.Kinds = []*os.File{tty.Master}, []transcript.Kind{transcript.Output}
	if stdin == nil {
		stdin = tty.Slave
	}
	return []*os.File{stdin, tty.Slave, tty.Slave}, nil
}

// handleAll gives a handler to those signals that a caller may have set to be ignored.
func handleAll() {
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGPIPE, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU)
}

// ignoreTerminal ignores the signals that a terminal sends to its session leader and to its background.
func ignoreTerminal() {
	signal.Ignore(unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGPIPE, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU)
}

// wait reports the changes of the command and of every process that we inherit from its tree. Changes known at
// one moment come in one batch. The channel is closed when no child is left and gone has returned. On a child
// subreaper (prctl(2)), the tree is gone when no child is left. Where there is none, gone waits for the end of
// the tree.
func (p *Program) wait(gone func()) {
	defer close(p.Changes)
	for options := 0; ; {
		var batch []Change
		for {
			var info proc.Info
			pid, err := peek(options)
			how := options
			if pid > 0 {
				how = syscall.WNOHANG // the stop that was reported may be over by now
			}
			if pid > 0 && pid != p.PID {
				info, _ = proc.Read(pid) // the process stays until we have waited for it
			}
			var status syscall.WaitStatus
			if err == nil && pid != 0 {
				pid, err = syscall.Wait4(pid, &status, how|syscall.WUNTRACED|syscall.WCONTINUED, nil)
			}
			if err == syscall.EINTR {
				continue
			}
			if err != nil { // ECHILD
				if len(batch) > 0 {
					p.Changes <- batch
				}
				gone()
				return
			}
			if pid == 0 {
				break
			}
			batch = append(batch, Change{pid, status, time.Now(), info})
			options = syscall.WNOHANG // other changes that are already there belong to the batch
		}
		options = 0
		p.Changes <- batch
	}
}

// Signal sends sig to the foreground process group of the terminal, or to the command's own group without a
// terminal. It signals each process of the tree in that group by its identity.
func (p *Program) Signal(sig syscall.Signal) error {
	group := p.PID
	if p.Tty != nil {
		var err error
		if group, err = p.Tty.Foreground(); err != nil {
			return err
		}
	}
	var errs []error
	found := false
	for _, info := range Tree() {
		if info.Group == group {
			found = true
			if err := info.ID.Signal(sig); err != nil && !errors.Is(err, proc.ErrGone) {
				errs = append(errs, err)
			}
		}
	}
	if !found {
		return proc.ErrNoProcess
	}
	return errors.Join(errs...)
}

// Tree returns the living processes that the command started. It leaves out other sessions among them, with
// their processes.
func Tree() []proc.Info {
	living := track.Own(descendants())
	n := 0
	for _, info := range living {
		if !info.Ended() {
			living[n] = info
			n++
		}
	}
	return living[:n]
}

// PrepareHolder makes this process able to hold a session. The process then leads a session of the kernel, and
// processes that escape from the tree come to it. It has no descriptors but its own.
func PrepareHolder() error {
	if !startedAlone() {
		if err := closeInherited(); err != nil {
			return err
		}
	}
	if leader, err := unix.Getsid(0); err != nil || leader != os.Getpid() {
		if _, err := unix.Setsid(); err != nil {
			return os.NewSyscallError("setsid", err)
		}
	}
	if err := proc.Subreaper(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return os.Chdir("/") // do not keep a file system busy
}

// closeInherited closes the descriptors that came through exec, except the standard ones. The descriptors of
// the Go runtime are close-on-exec, so none of them came that way.
func closeInherited() error {
	folder, err := os.Open("/dev/fd")
	if err != nil {
		return err
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		var fd int
		if _, err := fmt.Sscan(name, &fd); err != nil || fd <= 2 {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd) // whatever it was, it is not ours
		}
	}
	return nil
}

// Printed reports whether there is output that the reader has not read. A closed pipe has none.
func (p *Program) Printed() bool {
	if p.Tty != nil {
		return p.Tty.Printed()
	}
	return slices.ContainsFunc(p.Outputs, func(f *os.File) bool {
		unread := 0
		_ = proc.Control(f, func(fd int) (err error) {
			unread, err = unix.IoctlGetInt(fd, inputQueue)
			return err
		})
		return unread > 0
	})
}

// outputPipe returns a pipe whose reading end does not block. The writing end, whose flags the command shares,
// does block once it is passed on.
func outputPipe() (r, w *os.File, err error) {
	polled, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer polled.Close()
	if r, err = unpolled(polled, true); err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return r, w, nil
}
