//go:build unix

package runner

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"devtools/ledger/transcript"
	"devtools/runner/proc"
)

// A change is one answer of wait4(2).
type change struct {
	pid    int
	status syscall.WaitStatus
	at     time.Time
	info   proc.Info // what it was, where that is known; not of the main process
}

// stopped reports whether the process was stopped by a signal, and lives.
func (c change) stopped() bool { return c.status.Stopped() }

// continued reports whether the process was stopped and goes on.
func (c change) continued() bool { return c.status.Continued() }

// exitCode returns the exit code, or 128+n when signal n ended the process.
func (c change) exitCode() int {
	if c.status.Signaled() {
		return 128 + int(c.status.Signal())
	}
	return c.status.ExitStatus()
}

// signal returns the name of the signal that ended the process, or "".
func (c change) signal() string {
	if !c.status.Signaled() {
		return ""
	}
	return signalName(c.status.Signal())
}

// openEarly opens the terminal of the options, if it is to have one, while other work is done, and returns
// the function that waits for it.
func openEarly(opts programOptions) func() (*terminal, error) {
	if opts.NoTerminal {
		return nil
	}
	type result struct {
		tty *terminal
		err error
	}
	results := make(chan result, 1)
	go func() {
		tty, err := openTerminal(opts.Size)
		results <- result{tty, err}
	}()
	return func() (*terminal, error) {
		r := <-results
		return r.tty, r.err
	}
}

// start starts the command of the options, with stdin as its standard input when it is not nil, in the
// terminal that openEarly has opened and in the cgroup, if there is one. It must be called once only, in a process that has no other
// children: the waiting takes every child's exit.
func start(opts programOptions, stdin *os.File, opened func() (*terminal, error), group cgroup) (*program, error) {
	p := &program{changes: make(chan []change, 16)}
	attr := &syscall.ProcAttr{Dir: opts.Cwd, Env: opts.Env, Sys: &syscall.SysProcAttr{Setpgid: true}}
	var inherited []*os.File // our ends of what the command gets
	var err error
	if opts.NoTerminal {
		inherited, err = p.openPipes(stdin)
	} else {
		inherited, err = p.useTerminal(opened, stdin)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range inherited {
		attr.Files = append(attr.Files, f.Fd())
	}
	if p.tty != nil {
		attr.Sys.Foreground = true
		attr.Sys.Ctty = int(p.tty.slave.Fd())
	}
	// Until the command is started every signal has its default action or a handler, which exec
	// resets: what the holder ignores, the command would ignore.
	handleAll()
	if p.inCgroup = group.path != ""; p.inCgroup {
		p.pid, err = forkInto(group, opts, attr)
		p.inCgroup = err == nil
	}
	if !p.inCgroup { // where it cannot be started there, it can without
		p.pid, err = forkExec(opts, attr)
	}
	ignoreTerminal()
	for _, f := range inherited {
		if p.tty == nil || f != p.tty.slave {
			_ = f.Close() // it is the command's now
		}
	}
	if err != nil {
		return nil, err
	}
	if p.id, err = proc.Identify(p.pid); err != nil { // nobody has reaped it yet, so it has its pid
		p.id = proc.ID{PID: p.pid, Boot: proc.Boot()}
	}
	go p.wait(followTree())
	return p, nil
}

// forkExec starts the command, with a shell when it is a script without an interpreter line, as
// execvp(3) does.
func forkExec(opts programOptions, attr *syscall.ProcAttr) (int, error) {
	pid, err := syscall.ForkExec(opts.Path, opts.Command, attr)
	if err == syscall.ENOEXEC {
		pid, err = syscall.ForkExec("/bin/sh", append([]string{"sh", opts.Path}, opts.Command[1:]...), attr)
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return 0, fmt.Errorf("%s: %w: %w", opts.Command[0], ErrNotFound, err)
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM):
		return 0, fmt.Errorf("%s: fork: %w", opts.Command[0], err)
	case err != nil:
		return 0, fmt.Errorf("%s: %w: %w", opts.Command[0], ErrNotExecutable, err)
	}
	return pid, nil
}

func (p *program) useTerminal(opened func() (*terminal, error), stdin *os.File) ([]*os.File, error) {
	tty, err := opened()
	if err != nil {
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	p.tty = tty
	p.outputs, p.kinds = []*os.File{tty.master}, []transcript.Kind{transcript.Output}
	if stdin == nil {
		stdin = tty.slave
	}
	return []*os.File{stdin, tty.slave, tty.slave}, nil
}

// handleAll gives the signals that a caller may have set to be ignored a handler.
func handleAll() {
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGPIPE, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU)
}

// ignoreTerminal ignores the signals that a terminal sends its session leader and its background.
func ignoreTerminal() {
	signal.Ignore(unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGPIPE, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU)
}

// wait reports what becomes of the command and of every process that we inherit from its tree. What
// is known at one moment comes in one batch; the channel is closed when no child is left, which on a
// child subreaper (prctl(2)) means that the tree is gone, and when gone, which knows where there is none,
// has returned.
func (p *program) wait(gone func()) {
	defer close(p.changes)
	for options := 0; ; {
		var batch []change
		for {
			var info proc.Info
			pid, err := peek(options)
			how := options
			if pid > 0 {
				how = syscall.WNOHANG // what it was stopped with may be over by now
			}
			if pid > 0 && pid != p.pid {
				info, _ = proc.Read(pid) // it is there until we have waited for it
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
					p.changes <- batch
				}
				gone()
				return
			}
			if pid == 0 {
				break
			}
			batch = append(batch, change{pid, status, time.Now(), info})
			options = syscall.WNOHANG // what else is there already belongs to the batch
		}
		options = 0
		p.changes <- batch
	}
}

// signal sends sig to the foreground process group of the terminal, or to the command's own without one:
// to each process of the tree that is in it, by its identity.
func (p *program) signal(sig syscall.Signal) error {
	group := p.pid
	if p.tty != nil {
		var err error
		if group, err = p.tty.foreground(); err != nil {
			return err
		}
	}
	var errs []error
	found := false
	for _, info := range tree() {
		if info.Group == group {
			found = true
			if err := info.ID.Signal(sig); err != nil && !errors.Is(err, proc.ErrGone) {
				errs = append(errs, err)
			}
		}
	}
	if !found {
		return ErrNoProcess
	}
	return errors.Join(errs...)
}

// tree returns the living processes that the command started and that are not gone, but for sessions of their own.
func tree() []proc.Info {
	living := ownOf(descendants())
	n := 0
	for _, info := range living {
		if !info.Ended() {
			living[n] = info
			n++
		}
	}
	return living[:n]
}

// prepareHolder makes this process able to hold a session: it leads a session of the kernel, what escapes
// from the tree comes to it, and it has no descriptor but its own.
func prepareHolder() error {
	if err := closeInherited(); err != nil {
		return err
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

// closeInherited closes the descriptors that came through exec, but the standard ones. Those of the Go runtime
// are close-on-exec, so none of them came that way.
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

// outputPipe returns a pipe whose reading end does not block, and whose writing end, the flags of which
// the command shares, does once it is passed on.
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
