package runner_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"devtools/runner"
	"devtools/runner/runnertest"
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
	var clients []*runner.Client
	for refused := 0; refused < 3; {
		c, err := runner.Dial(dir, starter.Session)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = c.Call(ctx, wire.Request{Op: wire.OpState})
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
