package runner

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A holder with few descriptors serves its session, refuses the clients that are too many and says why, and serves
// others when those are gone.
func TestFewDescriptors(t *testing.T) {
	ctx := withPatience(t)
	path := newState(t)
	spec := specFor(t, path, need(t, "bash"), "--norc")
	spec.Name = "few"
	starter := begin(t, spec)
	if err := unix.Prlimit(starter.Session.Holder.PID, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 32, Max: 32}, nil); err != nil {
		t.Fatal(err)
	}
	dir := openState(t, path)
	typed := func() error {
		_, sent, err := Send(ctx, dir, "few", Typing{Keys: Keys{Args: []string{"echo one", "Enter"}}})
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
	var clients []*Client
	for refused := 0; refused < 3; {
		c, err := Dial(dir, starter.Session)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = c.call(ctx, request{Op: opState})
		switch {
		case errors.Is(err, ErrNoDescriptors):
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
	if err := typed(); !errors.Is(err, ErrNoDescriptors) {
		t.Errorf("one more types: %v, want %v", err, ErrNoDescriptors)
	}
	for _, c := range clients {
		c.Close()
	}
	err := ErrNoDescriptors
	for ctx := withPatience(t); errors.Is(err, ErrNoDescriptors) && ctx.Err() == nil; <-time.After(time.Millisecond) {
		err = typed()
	}
	if err != nil {
		t.Errorf("after all clients have gone: %v", err)
	}
}
