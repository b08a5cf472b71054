package list_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"devtools/ledger"
	"devtools/runner/list"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// A note stands for the answer of the holder, but only until the program runs: a program that begins to read without a word
// is shown waiting.
func TestNote(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	spec := runnertest.Shell(t, runnertest.NewState(t), "echo up; read x <'"+fifo+"'; read y")
	c := runnertest.Begin(t, spec)
	dir, holder := runnertest.OpenState(t, spec.Dir), track.Identity(c.Session.Holder)
	ctx := runnertest.WithPatience(t)
	await(ctx, t, "a note", func() bool {
		note, ok := wire.Noted(dir, c.Session.ID)
		return ok && note.Offset > 0
	})
	before := listed(ctx, t, dir)
	if err := holder.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	now := listed(ctx, t, dir)
	if err := holder.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if now.Waiting != nil || now.Reason == "" || now.Reason != before.Reason || now.OutputBytes != before.OutputBytes || len(now.Processes) != 1 || now.Processes[0].CommandLine != before.Processes[0].CommandLine {
		t.Errorf("from the note: %+v\nbefore: %+v", now, before)
	}
	if err := os.WriteFile(fifo, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	await(ctx, t, "that the program waits", func() bool { return listed(ctx, t, dir).Waiting != nil })
	await(ctx, t, "that the note says so", func() bool {
		note, ok := wire.Noted(dir, c.Session.ID)
		return ok && note.Waiting != nil || listed(ctx, t, dir).Waiting == nil
	})
	if s := listed(ctx, t, dir); s.Waiting == nil || s.Waiting.Kind == "" {
		t.Errorf("after the note was renewed: %+v", s)
	}
}

func listed(ctx context.Context, t *testing.T, dir ledger.Dir) list.Listed {
	t.Helper()
	l, err := list.List(ctx, dir, false, true)
	if err != nil || len(l.Sessions) != 1 {
		t.Fatalf("%+v, %v", l, err)
	}
	return l.Sessions[0]
}

func await(ctx context.Context, t *testing.T, what string, met func() bool) {
	t.Helper()
	for !met() {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("no sign of %s", what)
		}
	}
}
