//go:build unix

package pty_test

import (
	"strings"
	"syscall"
	"testing"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/pty"
)

// The terminal has the size that was asked for, and a program hears of a new one.
func TestSize(t *testing.T) {
	if !asHolder(t) {
		return
	}
	p := startShell(t, `trap 'stty size; exit 5' WINCH; stty size; echo up; while :; do :; done`)
	p.await(t, "24 80\r\nup")
	if err := p.Tty.Resize(ledger.Size{Cols: 100, Rows: 30}); err != nil {
		t.Fatal(err)
	}
	if c := p.end(t); c.ExitCode() != 5 || !strings.HasSuffix(p.text(transcript.Output), "30 100\r\n") {
		t.Errorf("code %d, printed %q", c.ExitCode(), p.text(transcript.Output))
	}
}

// What is typed reaches the program line by line, the terminal echoes it, and ^C ends the program.
func TestTyping(t *testing.T) {
	if !asHolder(t) {
		return
	}
	p := startShell(t, `while read line; do echo "<$line>"; done`)
	long := strings.Repeat("x", 3000)
	for _, line := range []string{"hello", long} {
		if err := p.Tty.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		p.await(t, line+"\r\n<"+line+">\r\n")
	}
	if err := p.Tty.Write([]byte("\x03")); err != nil {
		t.Fatal(err)
	}
	if c := p.end(t); c.ExitCode() != 130 || c.Signal() != "SIGINT" {
		t.Errorf("code %d, signal %q", c.ExitCode(), c.Signal())
	}
}

// The settings of the line discipline are those that the program has made.
func TestModes(t *testing.T) {
	if !asHolder(t) {
		return
	}
	p := startShell(t, `echo first; read line; stty noflsh; echo kept; read line; stty -noflsh -isig; echo plain; read line; stty isig -icanon -echo -icrnl; echo second; read line; stty -isig min 0 time 5; echo third; kill -STOP $$`)
	p.await(t, "first")
	before := p.Tty.Settings()
	if m, err := p.Tty.Modes(); err != nil || m != (pty.Modes{Signals: true, Canonical: true, Echo: true}) || p.Tty.Editing() {
		t.Errorf("at first %+v, %v", m, err)
	}
	for keys, want := range map[string]bool{"half\x15": true, "half\x03": true, "\x1a": true, "\x15half": false, "": false} {
		if p.Tty.KillsLine([]byte(keys)) != want {
			t.Errorf("%q kills the line: %v", keys, !want)
		}
	}
	p.typeLine(t)
	p.await(t, "kept")
	if p.Tty.KillsLine([]byte("\x03")) || !p.Tty.KillsLine([]byte("\x15")) {
		t.Error("with NOFLSH")
	}
	p.typeLine(t)
	p.await(t, "plain")
	if p.Tty.KillsLine([]byte("\x03")) || !p.Tty.KillsLine([]byte("\x15")) {
		t.Error("without ISIG")
	}
	p.typeLine(t)
	p.await(t, "second")
	if m, err := p.Tty.Modes(); err != nil || m != (pty.Modes{Signals: true}) || !p.Tty.Editing() {
		t.Errorf("as readline sets them: %+v, editing %v, %v", m, p.Tty.Editing(), err)
	}
	if p.Tty.KillsLine([]byte("\x15")) || p.Tty.KillsLine([]byte("\x03")) {
		t.Error("a key kills a line that the terminal does not keep")
	}
	if p.Tty.Settings() == before {
		t.Error("the settings have changed, and their text has not")
	}
	p.typeLine(t)
	p.change(t, "stopped", pty.Change.Stopped)
	if m, err := p.Tty.Modes(); err != nil || m != (pty.Modes{Timed: true}) {
		t.Errorf("with a time limit: %+v, %v", m, err)
	}
	p.kill(t)
	p.end(t)
}

func (r *running) typeLine(t *testing.T) {
	t.Helper()
	if err := r.Tty.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
}

// What is typed before a program reads it waits, and is counted.
func TestUnread(t *testing.T) {
	if !asHolder(t) {
		return
	}
	p := startShell(t, `kill -STOP $$; read line; echo "<$line>"; kill -STOP $$`)
	p.change(t, "stopped", pty.Change.Stopped)
	p.unread(t, 0)
	if err := p.Tty.Write([]byte("four\n")); err != nil {
		t.Fatal(err)
	}
	p.unread(t, 5)
	if err := p.ID.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	p.change(t, "stopped again", pty.Change.Stopped)
	p.await(t, "<four>")
	p.unread(t, 0)
	p.kill(t)
	p.end(t)
}

func (r *running) unread(t *testing.T, want int) {
	t.Helper()
	if n, err := r.Tty.Unread(); err != nil || n != want {
		t.Errorf("%d bytes are not read, %v, want %d", n, err, want)
	}
}

// When the holder has taken the front of the terminal, a control character reaches no program, and a late reader stops.
func TestTakeForeground(t *testing.T) {
	if !asHolder(t) {
		return
	}
	p := startShell(t, `kill -STOP $$; read line`)
	p.change(t, "stopped", pty.Change.Stopped)
	if err := p.Tty.TakeForeground(); err != nil {
		t.Fatal(err)
	}
	if err := p.Tty.Write([]byte("\x03line\n")); err != nil {
		t.Fatal(err)
	}
	if err := p.ID.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	p.change(t, "stopped for reading", pty.Change.Stopped)
	if group, err := p.Tty.Foreground(); err != nil || group == p.PID {
		t.Errorf("group %d is in front, %v", group, err)
	}
	p.kill(t)
	if c := p.end(t); c.Signal() != "SIGKILL" {
		t.Errorf("ended by %q, code %d", c.Signal(), c.ExitCode())
	}
}
