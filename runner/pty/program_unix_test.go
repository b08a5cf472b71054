//go:build unix

package pty_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/pty"
)

// The exit code is that of the main process, or 128+n when signal n has ended it.
func TestExit(t *testing.T) {
	for _, test := range []struct {
		name, line string
		code       int
		signal     string
	}{
		{"zero", "exit 0", 0, ""},
		{"seven", "exit 7", 7, ""},
		{"greatest", "exit 255", 255, ""},
		{"TERM", "kill -TERM $$", 143, "SIGTERM"},
		{"KILL", "kill -KILL $$", 137, "SIGKILL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !asHolder(t) {
				return
			}
			if c := startShell(t, test.line).end(t); c.ExitCode() != test.code || c.Signal() != test.signal {
				t.Errorf("%s: code %d, signal %q", test.line, c.ExitCode(), c.Signal())
			}
		})
	}
}

// Every byte of a flood arrives, the last one too, though the program ends at once.
func TestOutputIsDrained(t *testing.T) {
	if !asHolder(t) {
		return
	}
	p := startShell(t, "seq 100000; printf the-end")
	p.end(t)
	if got, want := p.text(transcript.Output), lines(100000)+"the-end"; got != want {
		t.Errorf("%d bytes of %d, at the end %q", len(got), len(want), got[max(0, len(got)-20):])
	}
}

// What a process of the background prints after the main process has ended, and after the terminal was hung up, still arrives.
func TestOutputAfterTheEnd(t *testing.T) {
	if !asHolder(t) {
		return
	}
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	p := startShell(t, "(read line <"+gate+"; echo late) & echo main; exit 3")
	if c := p.change(t, "ended", ended); c.ExitCode() != 3 {
		t.Errorf("code %d", c.ExitCode())
	}
	if err := p.Tty.HangUp(); err != nil {
		t.Fatal(err)
	}
	if living := pty.Tree(); len(living) != 1 {
		t.Errorf("the tree is %+v", living)
	}
	if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	p.endTree(t)
	if got := p.text(transcript.Output); got != "main\r\nlate\r\n" {
		t.Errorf("printed %q", got)
	}
}

// A program without a terminal has pipes: its two outputs are apart, byte by byte, and its input is at its end.
func TestPipes(t *testing.T) {
	if !asHolder(t) {
		return
	}
	p := start(t, pty.Options{NoTerminal: true}, `test -t 0 || echo none; read line || echo end; echo wrong >&2; printf 'a\000b\n'`)
	if p.Tty != nil {
		t.Error("it has a terminal")
	}
	if c := p.end(t); c.ExitCode() != 0 {
		t.Errorf("code %d", c.ExitCode())
	}
	if out, errs := p.text(transcript.Output), p.text(transcript.Stderr); out != "none\nend\na\x00b\n" || errs != "wrong\n" {
		t.Errorf("%q, %q", out, errs)
	}
}

// A program that cannot be started is told apart: there is none, it may not be executed, or what runs it is missing. Of what is
// there, nothing says that it is not.
func TestStartErrors(t *testing.T) {
	const loaderless = "a program without its loader"
	for _, test := range []struct {
		name, text string
		mode       os.FileMode // 0: there is no such file
		want       error
		says       string
	}{
		{"missing", "", 0, proc.ErrNotFound, "no such file"},
		{"denied", "#!/bin/sh\n", 0o644, proc.ErrNotExecutable, "permission denied"},
		{"no-interpreter", "#! /nosuch/sh -e\n", 0o755, proc.ErrNotExecutable, "its interpreter /nosuch/sh does not exist"},
		{"windows", "#!/bin/sh\r\nexit\r\n", 0o755, proc.ErrNotExecutable, `ends of Windows, so its interpreter is "/bin/sh\r"`},
		{"second", "#!OTHER\n", 0o755, proc.ErrNotExecutable, "what its interpreter OTHER needs does not exist"},
		{"no-loader", loaderless, 0o755, proc.ErrNotExecutable, "its loader"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.text == loaderless && runtime.GOOS != "linux" {
				t.Skip("the program is one of Linux")
			}
			if !asHolder(t) {
				return
			}
			folder := t.TempDir()
			path, other := filepath.Join(folder, "program"), filepath.Join(folder, "other")
			write := func(path, text string, mode os.FileMode) {
				if err := os.WriteFile(path, []byte(text), mode); err != nil {
					t.Fatal(err)
				}
			}
			write(other, "#!/nosuch/sh\n", 0o755)
			if test.mode != 0 {
				text := strings.ReplaceAll(test.text, "OTHER", other)
				if test.text == loaderless {
					text = withoutLoader(t)
				}
				write(path, text, test.mode)
			}
			opts := pty.Options{Path: path, Command: []string{"program"}, Cwd: "/", Size: ledger.Size{Cols: 80, Rows: 24}}
			_, err := pty.Start(opts, nil, pty.OpenEarly(opts), proc.Cgroup{})
			if !errors.Is(err, test.want) || !strings.HasPrefix(err.Error(), "program: ") || !strings.Contains(err.Error(), strings.ReplaceAll(test.says, "OTHER", other)) {
				t.Errorf("%v, want %v: %s", err, test.want, test.says)
			}
		})
	}
}

// withoutLoader returns a program of this machine, whose loader does not exist.
func withoutLoader(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(data), "/ld-", "/xx-", 1)
	if changed == string(data) {
		t.Skip("/bin/sh has no loader")
	}
	return changed
}

// A script without an interpreter line is a script of the shell, as execvp(3) has it.
func TestScriptWithoutInterpreter(t *testing.T) {
	if !asHolder(t) {
		return
	}
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte("echo ran $1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := startProgram(t, pty.Options{Path: path, Command: []string{"script", "arg"}, Cwd: "/", Size: ledger.Size{Cols: 80, Rows: 24}})
	if p.end(t); p.text(transcript.Output) != "ran arg\r\n" {
		t.Errorf("printed %q", p.text(transcript.Output))
	}
}

// A program has the signals that it is sent, ignores none, and leads its own group in the front of the terminal.
func TestSurroundings(t *testing.T) {
	if !asHolder(t) {
		return
	}
	p := startShell(t, `trap 'echo got int; exit 4' INT; echo up; while :; do :; done`)
	p.await(t, "up")
	if group, err := p.Tty.Foreground(); err != nil || group != p.PID {
		t.Errorf("group %d is in front, %v, want %d", group, err, p.PID)
	}
	if err := p.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if c := p.end(t); c.ExitCode() != 4 || !strings.Contains(p.text(transcript.Output), "got int") {
		t.Errorf("code %d, printed %q", c.ExitCode(), p.text(transcript.Output))
	}
	if err := p.Signal(syscall.SIGINT); err == nil {
		t.Error("there is nobody any more whom a signal could reach")
	}
}
