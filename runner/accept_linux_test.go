package runner_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// A holder with few descriptors serves its session. It refuses further clients with a reason, and accepts new ones when
// earlier ones have left.
func TestFewDescriptors(t *testing.T) {
	ctx := runnertest.WithPatience(t)
	path := runnertest.NewState(t)
	spec := runnertest.SpecFor(t, path, runnertest.Need(t, "bash"), "--norc")
	spec.Name = "few"
	starter := runnertest.Begin(t, spec)
	if err := unix.Prlimit(starter.Session.Holder.PID, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 32, Max: 32}, nil); err != nil {
		t.Fatal(err)
	}
	dir := runnertest.OpenState(t, path)
	typed := func() error {
		_, sent, err := runner.Send(ctx, dir, "few", runner.Typing{Keys: wire.Keys{Args: []string{"echo one", "Enter"}}})
		if err == nil && (sent.Receipt.Consumed == nil || !*sent.Receipt.Consumed) {
			err = fmt.Errorf("not read: %s", sent.Receipt.Reason)
		}
		return err
	}
	for range 20 { // looks at what reads the terminal, which keep files of /proc open
		if err := typed(); err != nil {
			t.Fatal(err)
		}
	}
	clients := exhaust(t, dir, starter.Session)
	t.Logf("%d clients at once", len(clients))
	if err := typed(); !errors.Is(err, wire.ErrNoDescriptors) {
		t.Errorf("one more types: %v, want %v", err, wire.ErrNoDescriptors)
	}
	for _, c := range clients {
		c.Close()
	}
	err := wire.ErrNoDescriptors
	for ctx := runnertest.WithPatience(t); errors.Is(err, wire.ErrNoDescriptors) && ctx.Err() == nil; <-time.After(time.Millisecond) {
		err = typed()
	}
	if err != nil {
		t.Errorf("after all clients have gone: %v", err)
	}
}

// exhaust connects clients to a holder with 32 descriptors until it refuses three.
func exhaust(t *testing.T, dir ledger.Dir, session ledger.Session) (clients []*runner.Client) {
	t.Helper()
	for refused := 0; refused < 3; {
		c, err := runner.Dial(dir, session)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		_, err = c.Call(runnertest.WithPatience(t), wire.Request{Op: wire.OpState})
		switch {
		case errors.Is(err, wire.ErrNoDescriptors):
			refused++
		case err != nil:
			t.Fatalf("client %d: %v", len(clients), err)
		case len(clients) > 32:
			t.Fatalf("%d clients have got a descriptor of 32", len(clients))
		default:
			clients = append(clients, c)
		}
	}
	return clients
}

// A session is ended although its holder can take no further client.
func TestKillWithoutDescriptors(t *testing.T) {
	ctx := runnertest.WithPatience(t)
	path := runnertest.NewState(t)
	spec := runnertest.SpecFor(t, path, runnertest.Need(t, "sleep"), "1000")
	spec.Name = "few"
	session := runnertest.Begin(t, spec).Session
	if err := unix.Prlimit(session.Holder.PID, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 32, Max: 32}, nil); err != nil {
		t.Fatal(err)
	}
	dir := runnertest.OpenState(t, path)
	exhaust(t, dir, session)
	result, err := runner.Kill(ctx, dir, []string{"few"}, "TERM", time.Second)
	if err != nil || !slices.Equal(result.Killed, []int{session.Main.PID}) || track.Identity(session.Main).Alive() {
		t.Errorf("%+v, %v", result, err)
	}
	if s, err := runnertest.WaitEnd(t, dir, session.ID); err != nil || s.Signal != "SIGTERM" {
		t.Errorf("it ended by %q, %v", s.Signal, err)
	}
}
