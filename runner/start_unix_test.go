//go:build unix

package runner_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// The arguments and the environment of a command are bytes, not text.
func TestRunPassesBytes(t *testing.T) {
	runnertest.Need(t, "printf")
	spec := runnertest.SpecFor(t, runnertest.NewState(t), "sh", "-c", `printf '%s|%s|%s|' "$1" "$2" "$X"; pwd`, "sh", "\xff\xfe", "")
	spec.Env = append(spec.Env, "X=\xe9", "EMPTY=")
	spec.Cwd = filepath.Join(t.TempDir(), "d\xff")
	if err := os.Mkdir(spec.Cwd, 0o700); err != nil {
		t.Skipf("this file system takes no such name: %v", err)
	}
	spec.Env = append(spec.Env, "PWD="+spec.Cwd)
	out, _ := runnertest.RunFor(t, spec)
	if got, want := out.Text(transcript.Output), "\xff\xfe||\xe9|"+spec.Cwd+"\r\n"; got != want {
		t.Errorf("output %q, want %q", got, want)
	}
}

func TestStartErrors(t *testing.T) {
	dir := runnertest.NewState(t)
	runnertest.Begin(t, func() wire.Spec { s := runnertest.SpecFor(t, dir, "sleep", "1000"); s.Name = "web"; return s }())
	taken := runnertest.SpecFor(t, dir, "sleep", "1")
	taken.Name = "web"
	missing := runnertest.SpecFor(t, dir, "sleep", "1")
	missing.Path = filepath.Join(t.TempDir(), "nosuch")
	denied := runnertest.SpecFor(t, dir, "sleep", "1")
	denied.Path = t.TempDir()
	for _, test := range []struct {
		name string
		spec wire.Spec
		want error
	}{{"taken", taken, wire.ErrNameTaken}, {"missing", missing, proc.ErrNotFound}, {"denied", denied, proc.ErrNotExecutable}} {
		if c, err := runnertest.StartSession(runnertest.WithPatience(t), test.spec, nil); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, %v", test.name, c, err)
		}
	}
	state, err := ledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := state.Active(); err != nil || len(a.Sessions) != 1 {
		t.Errorf("active %v, %v", a, err)
	}
	if all, err := os.ReadDir(filepath.Join(dir, "sessions")); err != nil || len(all) != 2 {
		t.Errorf("%d entries of sessions, want the folder and the record of one: %v", len(all), err)
	}
}

// A command inherits neither ignored signals nor open files of its caller.
func TestCommandInheritsNothing(t *testing.T) {
	runnertest.Need(t, "python3")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := setCloseOnExec(w, false); err != nil {
		t.Fatal(err)
	}
	dir := runnertest.NewState(t)
	runnertest.Begin(t, runnertest.SpecFor(t, dir, "sleep", "1000")) // whose holder lives on
	out, _ := runnertest.RunFor(t, runnertest.SpecFor(t, dir, "python3", "-c", `
import os, signal
print(sorted(int(n) for n in os.listdir("/dev/fd") if os.path.exists("/dev/fd/" + n) and not os.path.isdir("/dev/fd/" + n)))
print([s for s in range(1, 32) if s not in (9, 19) and signal.getsignal(s) == signal.SIG_IGN and s not in (13, 25)])
print(os.getpgrp() == os.getpid() == os.tcgetpgrp(0), os.getsid(0) == os.getppid(), os.ctermid())
`))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err == nil { // at its end: nobody else has it open
		t.Errorf("read %d, %v", n, err)
	}
	if got, want := out.Text(transcript.Output), "[0, 1, 2]\r\n[]\r\nTrue True /dev/tty\r\n"; got != want {
		t.Errorf("output %q, want %q", got, want)
	}
}

// A command that is to have a standard input, where there is none, is not started, and nothing of its session stays.
func TestStartWithoutStdin(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, "cat")
	spec.Stdin = true
	if _, err := runnertest.StartSession(runnertest.WithPatience(t), spec, nil); err == nil {
		t.Error("it was started")
	}
	if left, err := filepath.Glob(filepath.Join(state, "sessions", "*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
