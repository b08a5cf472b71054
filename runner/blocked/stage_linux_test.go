package blocked

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// A stage is a program in front of a PTY, and what a watch of it needs.
type stage struct {
	t             testing.TB
	master, slave *os.File
	cmd           *exec.Cmd
	watch         *Watch

	mu     sync.Mutex
	output []byte
	last   time.Time // of output
}

// openPTY opens a PTY of 80 by 24.
func openPTY(t testing.TB) (master, slave *os.File) {
	t.Helper()
	master, slave, err := newPTY()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		master.Close()
		slave.Close()
	})
	return master, slave
}

func newPTY() (master, slave *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	master = os.NewFile(uintptr(fd), "master")
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0),
		unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	if err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	name := "/dev/pts/" + strconv.Itoa(number)
	end, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	return master, os.NewFile(uintptr(end), name), nil
}

// terminalOf is the terminal of a master and its slave.
func terminalOf(master, slave *os.File) (Terminal, error) {
	fd := int(master.Fd())
	var st unix.Stat_t
	err := unix.Fstat(int(slave.Fd()), &st)
	return Terminal{
		Device: st.Rdev, Filesystem: st.Dev,
		Foreground: func() (int, error) { return unix.IoctlGetInt(fd, unix.TIOCGPGRP) },
		Modes: func() (Modes, error) {
			settings, err := unix.IoctlGetTermios(fd, unix.TCGETS)
			if err != nil {
				return Modes{}, err
			}
			return modesOf(settings), nil
		},
	}, err
}

// perform starts a program on a PTY of its own, in a folder of its own.
func perform(t testing.TB, cmd *exec.Cmd) *stage {
	t.Helper()
	s := &stage{t: t, cmd: cmd, last: time.Now()}
	s.master, s.slave = openPTY(t)
	tty, err := terminalOf(s.master, s.slave)
	if err != nil {
		t.Fatal(err)
	}
	s.watch = NewWatch(os.Getpid(), tty)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.slave, s.slave, s.slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if cmd.Dir == "" {
		cmd.Dir = t.TempDir()
	}
	cmd.Env = append(cmd.Environ(), "BLOCKED_TEST_STAGE="+s.slave.Name())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		s.drain()
		close(ended)
	}()
	t.Cleanup(func() {
		var all []proc.ID
		proc.Kill(context.Background(), func() []proc.ID {
			found := s.belonging()
			all = append(all, found...)
			return found
		}, syscall.SIGKILL, 0)
		for _, id := range all { // orphans are ours
			if id.PID != cmd.Process.Pid {
				_, _ = syscall.Wait4(id.PID, nil, syscall.WNOHANG, nil)
			}
		}
		_ = cmd.Wait() // killed is what we expect
		s.watch.Close()
		s.slave.Close()
		<-ended
	})
	return s
}

// drain reads the output and answers what a program asks the terminal.
func (s *stage) drain() {
	buf := make([]byte, 32<<10)
	for {
		n, err := s.master.Read(buf)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.output = append(s.output, buf[:n]...)
		s.last = time.Now()
		s.mu.Unlock()
		if bytes.Contains(buf[:n], []byte("\x1b[c")) || bytes.Contains(buf[:n], []byte("\x1b[0c")) {
			_, _ = s.master.WriteString("\x1b[?62;22c")
		}
		if bytes.Contains(buf[:n], []byte("\x1b[6n")) {
			_, _ = s.master.WriteString("\x1b[1;1R")
		}
	}
}

// belonging lists what the program of this stage has started, what left its session
// included: all have the name of the stage in their environment.
func (s *stage) belonging() []proc.ID {
	var all []proc.ID
	mine := map[int]bool{}
	for _, p := range proc.Tree(os.Getpid()) {
		// A zombie has no environment any more.
		environment, _ := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/environ")
		if p.PID == s.cmd.Process.Pid || mine[p.Parent] || bytes.Contains(environment, []byte("BLOCKED_TEST_STAGE="+s.slave.Name()+"\x00")) {
			mine[p.PID] = true
			all = append(all, p.ID)
		}
	}
	return all
}

func (s *stage) quiet() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.last)
}

func (s *stage) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.output)
}

func (s *stage) probe() Verdict { return s.watch.Probe(time.Now(), s.quiet()) }

// until probes as the verdicts say until one satisfies done.
func (s *stage) until(limit time.Duration, done func(Verdict) bool) (Verdict, bool) {
	s.t.Helper()
	deadline := time.Now().Add(limit)
	for {
		v := s.probe()
		if done(v) {
			return v, true
		}
		if time.Now().After(deadline) {
			return v, false
		}
		time.Sleep(v.Next)
	}
}

func (s *stage) untilWaiting() Verdict {
	s.t.Helper()
	v, ok := s.until(20*time.Second, func(v Verdict) bool { return v.State == Waiting })
	if !ok {
		s.t.Fatalf("after 20 s the verdict is %+v; the output was\n%s", v, s.text())
	}
	return v
}

// untilPrinted waits for a text in the output.
func (s *stage) untilPrinted(text string) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(s.text(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("no %q in the output\n%s", text, s.text())
		}
	}
}

func (s *stage) write(text string) {
	s.t.Helper()
	reader, _ := s.watch.Blocked()
	s.watch.Written(time.Now(), reader.Number())
	if _, err := s.master.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// program returns a command that does not read the user's settings.
func program(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "HOME="+home, "HISTFILE=", "LESS=", "PS1=$ ",
		"XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home, "TMUX=", "GIT_PAGER=", "PAGER=")
	return cmd
}
