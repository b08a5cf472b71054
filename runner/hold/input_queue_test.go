package hold

import (
	"errors"
	"testing"
	"time"
)

// order returns the bytes of the queue in the order in which they would be typed.
func (q *inputQueue) order() (text string) {
	for k, ok := q.next(); ok; k, ok = q.next() {
		text += string(k.data)
		q.take()
	}
	return text
}

// Replies to queries come before the keys of persons, and those before what waits for a reader. Each kind keeps its order.
func TestInputQueueOrder(t *testing.T) {
	var q inputQueue
	for _, k := range []keystrokes{
		{data: []byte("a")},
		{data: []byte("1"), urgency: reply},
		{data: []byte("p"), urgency: early},
		{data: []byte("b")},
		{data: []byte("^"), urgency: atOnce},
		{data: []byte("2"), urgency: reply},
		{data: []byte("q"), urgency: early},
	} {
		if err := q.add(k); err != nil {
			t.Fatal(err)
		}
	}
	if q.idle() || q.open != 7 || q.bytes != 7 {
		t.Errorf("idle %v, open %d, %d bytes", q.idle(), q.open, q.bytes)
	}
	if got := q.order(); got != "12^pqab" {
		t.Errorf("got %q", got)
	}
	if q.bytes != 0 || q.idle() { // the input writer has the last keys
		t.Errorf("idle %v, %d bytes", q.idle(), q.bytes)
	}
}

// A request that waits too long is given up. Input without a limit and later requests stay.
func TestInputQueueExpires(t *testing.T) {
	var q inputQueue
	now := time.Now()
	for _, k := range []keystrokes{{data: []byte("a")}, {data: []byte("b"), until: now}, {data: []byte("c"), until: now.Add(time.Second)}} {
		if err := q.add(k); err != nil {
			t.Fatal(err)
		}
	}
	if at := q.deadline(); !at.Equal(now) {
		t.Errorf("deadline %v, want %v", at, now)
	}
	if gone := q.expired(now); len(gone) != 1 || string(gone[0].data) != "b" || q.open != 2 || q.bytes != 2 {
		t.Errorf("gone %d, open %d, %d bytes", len(gone), q.open, q.bytes)
	}
	if got := q.order(); got != "ac" {
		t.Errorf("got %q", got)
	}
	if at := q.deadline(); !at.IsZero() {
		t.Errorf("deadline %v of an empty queue", at)
	}
}

func TestInputQueueIsBounded(t *testing.T) {
	var q inputQueue
	if err := q.add(keystrokes{data: make([]byte, maxQueued)}); err != nil {
		t.Fatal(err)
	}
	if err := q.add(keystrokes{data: []byte("x")}); !errors.Is(err, errQueueFull) {
		t.Errorf("a byte too many: %v", err)
	}
	q = inputQueue{}
	for range maxQueuedRequests {
		if err := q.add(keystrokes{data: []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.add(keystrokes{urgency: reply}); !errors.Is(err, errQueueFull) {
		t.Errorf("a request too many: %v", err)
	}
}
