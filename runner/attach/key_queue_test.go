package attach

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"devtools/runner/wire"
)

// Keys leave the queue in order, and no more at a time than one request holds.
func TestKeyQueueTake(t *testing.T) {
	q := newKeyQueue()
	q.add(bytes.Repeat([]byte{'a'}, wire.MaxInput))
	q.add([]byte("b"))
	first, _ := q.take()
	second, ok := q.take()
	if len(first) != wire.MaxInput || string(second) != "b" || !ok || q.size() != 0 {
		t.Errorf("%d bytes, then %q, %v; %d left", len(first), second, ok, q.size())
	}
}

// flush waits until the holder has the last keys, but not longer than its limit.
func TestKeyQueueFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newKeyQueue()
		q.add([]byte("a"))
		begin := time.Now()
		if q.flush(time.Second); time.Since(begin) != time.Second {
			t.Errorf("keys that nobody takes: it waited %v", time.Since(begin))
		}
		q.take()
		begin = time.Now()
		time.AfterFunc(time.Minute, func() { q.take() })
		if q.flush(time.Hour); time.Since(begin) != time.Minute {
			t.Errorf("keys on their way: it waited %v", time.Since(begin))
		}
		q.close()
	})
}

// A full queue has no room until keys leave it.
func TestKeyQueueRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newKeyQueue()
		q.add(make([]byte, maxTyped+1))
		room := false
		go func() { room = q.awaitRoom() }()
		if synctest.Wait(); room {
			t.Error("there is room in a full queue")
		}
		q.take()
		if synctest.Wait(); !room {
			t.Error("there is no room after keys have left")
		}
	})
}

// close ends all waits. The keys that nobody has taken stay counted.
func TestKeyQueueClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newKeyQueue()
		taken := true
		go func() { _, taken = q.take() }()
		synctest.Wait()
		q.close()
		if synctest.Wait(); taken {
			t.Error("a closed queue gives keys")
		}
		q.add(make([]byte, maxTyped+1))
		if q.awaitRoom() || q.size() != maxTyped+1 {
			t.Errorf("%d bytes are left", q.size())
		}
		begin := time.Now()
		if q.flush(time.Hour); time.Since(begin) != 0 {
			t.Errorf("flush of a closed queue waited %v", time.Since(begin))
		}
	})
}
