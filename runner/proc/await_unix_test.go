//go:build unix

package proc

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestAwait(t *testing.T) {
	c := shell(t, "echo up; read line")
	c.expect("up", 1)
	id := c.id()
	done := make(chan error, 1)
	go func() { done <- Await(deadline(t), id) }()
	select {
	case err := <-done:
		t.Fatalf("returned %v while the child lives", err)
	case <-time.After(50 * time.Millisecond):
	}
	c.stdin.Close()
	closed := time.Now()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if took := time.Since(closed); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
	// A zombie and a process that is no more are not waited for.
	for range 2 {
		if err := Await(deadline(t), id); err != nil {
			t.Error(err)
		}
		_ = c.Wait() // the status is of no interest
	}
}

func TestAwaitObeysItsContext(t *testing.T) {
	c := shell(t, "echo up; read line")
	c.expect("up", 1)
	for name, want := range map[string]error{"before": context.Canceled, "cancel": context.Canceled, "timeout": context.DeadlineExceeded} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			switch name {
			case "before":
				cancel()
			case "cancel":
				time.AfterFunc(20*time.Millisecond, cancel)
			case "timeout":
				ctx, cancel = context.WithTimeout(ctx, 20*time.Millisecond)
				defer cancel()
			}
			if err := Await(ctx, c.id()); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		})
	}
}

func TestAwaitAnyStopsInTime(t *testing.T) {
	c := shell(t, "echo up; read line")
	c.expect("up", 1)
	h, err := open(c.id())
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	began := time.Now()
	err = awaitAny(t.Context(), []*handle{h}, began.Add(30*time.Millisecond))
	if took := time.Since(began); err != nil || h.gone || took < 30*time.Millisecond {
		t.Errorf("got %v, gone %v after %v", err, h.gone, took)
	}
}
