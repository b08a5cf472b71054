package blocked

import (
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// Whether a thread reads the terminal is found without a sign to it: it sleeps on, and the settings and what is typed stay.
func TestBeingRead(t *testing.T) {
	need(t, "python3")
	for _, tt := range []struct {
		name, code, call string
		typed            string
		want             bool
		printed          string // after Enter, "" if all that was typed stays unread
	}{
		{"a line", `print("got", input())`, "read", "half", true, "got half"},
		{"a key", `import os, tty; tty.setcbreak(0); print("got", os.read(0, 9))`, "read", "", true, `got b'\n'`},
		{"a poll", `import select; select.select([0], [], []); print("got", input())`, "pselect6", "half", false, "got half"},
		{"a sleep", `import time; time.sleep(100)`, "clock_nanosleep", "typed ahead\n", false, ""},
		{"a sleep in raw mode", `import time, tty; tty.setraw(0); time.sleep(100)`, "clock_nanosleep", "typed ahead", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := perform(t, program(t, "python3", "-c", tt.code))
			in := s.untilIn(tt.call)
			if _, err := s.master.WriteString(tt.typed); err != nil {
				t.Fatal(err)
			}
			before := s.condition(in)
			for range 100 {
				if got, ok := s.watch.tty.beingRead(); got != tt.want || !ok {
					t.Fatalf("being read: %v, %v", got, ok)
				}
			}
			if after := s.condition(in); after != before {
				t.Errorf("%+v became %+v", before, after)
			}
			if _, err := s.master.WriteString("\n"); err != nil {
				t.Fatal(err)
			}
			if tt.printed != "" {
				s.untilPrinted(tt.printed)
			} else {
				s.untilQueued(len(tt.typed) + 1)
			}
		})
	}
}

// untilIn waits until the program sleeps in this system call.
func (s *stage) untilIn(call string) *inspector {
	s.t.Helper()
	pid := s.cmd.Process.Pid
	in := &inspector{Info: proc.Info{ID: proc.ID{PID: pid}}, device: s.watch.tty.Device}
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(time.Millisecond) {
		if w, err := in.wait(pid); err == nil && w.call == call && (!w.read || w.has(terminalSource)) {
			return in
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("pid %d is not in %s", pid, call)
		}
	}
}

// untilQueued waits until n bytes are typed that nobody has read.
func (s *stage) untilQueued(n int) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(time.Millisecond) {
		queued, err := unix.IoctlGetInt(int(s.slave.Fd()), unix.TIOCINQ)
		if err == nil && queued == n {
			return
		}
		if err != nil || time.Now().After(deadline) {
			s.t.Fatalf("%d bytes are unread, want %d (%v)", queued, n, err)
		}
	}
}

// A condition is what a look must not change.
type condition struct {
	settings unix.Termios
	switches uint64
}

func (s *stage) condition(in *inspector) condition {
	s.t.Helper()
	settings, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
	if err != nil {
		s.t.Fatal(err)
	}
	switches, err := in.switches(in.PID)
	if err != nil {
		s.t.Fatal(err)
	}
	return condition{*settings, switches}
}

// The leader of the terminal's own kernel session finds it out too, though job control lets it read nothing.
func TestBeingReadInSession(t *testing.T) {
	need(t, "cat")
	if got := start(t, play("leader that looks")).line(); got != "false true, true true" {
		t.Errorf("without a reader and with one: %s", got)
	}
}

func BenchmarkBeingRead(b *testing.B) {
	s := perform(b, program(b, "cat"))
	s.untilIn("read")
	for b.Loop() {
		if got, ok := s.watch.tty.beingRead(); !got || !ok {
			b.Fatal("not being read")
		}
	}
}

func init() {
	roles["leader that looks"] = func() error {
		if _, err := unix.Setsid(); err != nil {
			return err
		}
		master, slave, err := newPTY()
		if err != nil {
			return err
		}
		tty, err := terminalOf(master, slave)
		if err != nil {
			return err
		}
		if err := unix.IoctlSetInt(int(slave.Fd()), unix.TIOCSCTTY, 0); err != nil {
			return err
		}
		alone, ok := tty.beingRead()
		fmt.Print(alone, " ", ok, ", ")
		cmd := exec.Command("cat")
		cmd.Stdin, cmd.Stdout = slave, slave
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: int(slave.Fd())}
		if err := cmd.Start(); err != nil {
			return err
		}
		deadline := time.Now().Add(20 * time.Second)
		reading := false
		for ; !reading && time.Now().Before(deadline); <-time.After(time.Millisecond) {
			reading, ok = tty.beingRead()
		}
		fmt.Println(reading, ok)
		return cmd.Process.Kill()
	}
}
