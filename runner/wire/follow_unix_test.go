//go:build unix

package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
)

// A printer is a holder whose output a test prints.
type printer struct {
	*fakeHolder
	log   *transcript.Writer
	grown chan int64 // the end of the output, each time that more was printed; closed at the end
}

// newPrinter makes a holder that answers OpFollow, with a terminal or without, and keeps so much of the output.
func newPrinter(t *testing.T, terminal bool, limit int64) *printer {
	t.Helper()
	p := &printer{grown: make(chan int64, 10)}
	p.fakeHolder = newHolder(t, func(conn net.Conn, r *bufio.Reader) {
		end, closed := int64(0), false
		for req, ok := next(r); ok; req, ok = next(r) {
			for req.Op == OpFollow && !closed && end <= req.Offset {
				now, more := <-p.grown
				end, closed = max(end, now), !more
			}
			if WriteResponse(conn, Response{ID: req.ID, Next: end, Closed: closed}) != nil {
				return
			}
		}
	})
	if terminal {
		p.session.Size = ledger.Size{Cols: 80, Rows: 24}
	}
	p.log = newLog(t, p.fakeHolder, limit)
	return p
}

// newLog begins the transcript of a session.
func newLog(t *testing.T, h *fakeHolder, limit int64) *transcript.Writer {
	t.Helper()
	log, err := transcript.Create(transcript.Folder(h.dir.SessionFolder(h.session.ID)), limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	return log
}

// print records output, as a holder does, and tells of it.
func (p *printer) print(kind transcript.Kind, text string) {
	p.log.Append([]byte(text), kind, time.Second)
	p.log.Flush()
	p.grown <- p.log.Next()
}

// A taker takes what is followed.
type taker struct {
	text  map[transcript.Kind]string
	at    int64 // the offset that is to come next
	gaps  int
	after func() // called when something has come
}

func (s *taker) sink() Sink {
	return Sink{Write: func(p []byte, kind transcript.Kind, offset int64) error {
		if offset != s.at {
			s.gaps++
		}
		s.at = offset + int64(len(p))
		s.text[kind] += string(p)
		if s.after != nil {
			s.after()
		}
		return nil
	}}
}

func newTaker(at int64) *taker { return &taker{text: map[transcript.Kind]string{}, at: at} }

// Every byte comes once and in order, from the offset on that was asked for, and the last one before the end.
func TestFollow(t *testing.T) {
	t.Parallel()
	p := newPrinter(t, true, transcript.DefaultMax)
	p.print(transcript.Output, "before")
	out := newTaker(3)
	texts := []string{"a", "b\xff\x00", string(bytes.Repeat([]byte("x"), 3*BufferSize))}
	out.after = func() { // what was printed was taken, and more comes
		if len(texts) > 0 {
			p.print(transcript.Output, texts[0])
			texts = texts[1:]
		} else if out.at == p.log.Next() {
			close(p.grown)
			out.after = nil
		}
	}
	c := p.dial(t)
	at, missing, err := c.Follow(withPatience(t), 3, out.sink())
	if want := "oreab\xff\x00" + string(bytes.Repeat([]byte("x"), 3*BufferSize)); err != nil || missing != 0 || at != p.log.Next() || out.gaps > 0 || out.text[transcript.Output] != want {
		t.Errorf("at %d of %d, %d are missing, %d gaps, %d of %d bytes, %v", at, p.log.Next(), missing, out.gaps, len(out.text[transcript.Output]), len(want), err)
	}
	if !c.Seen.Await(withPatience(t), at) {
		t.Error("it was passed on, and nobody says so")
	}
}

// Without a terminal, standard output and standard error are told apart, at any offset.
func TestFollowKinds(t *testing.T) {
	t.Parallel()
	p := newPrinter(t, false, transcript.DefaultMax)
	for i, text := range []string{"out", "ERR", "more", "AGAIN"} {
		p.print([]transcript.Kind{transcript.Output, transcript.Stderr}[i%2], text)
	}
	close(p.grown)
	out := newTaker(1)
	if _, _, err := p.dial(t).Follow(withPatience(t), 1, out.sink()); err != nil || out.text[transcript.Output] != "utmore" || out.text[transcript.Stderr] != "ERRAGAIN" {
		t.Errorf("%q, %v", out.text, err)
	}
}

// What a holder has written to the disk still comes when it dies.
func TestFollowDeadHolder(t *testing.T) {
	t.Parallel()
	h := newHolder(t, func(_ net.Conn, r *bufio.Reader) { next(r) }) // it is asked, and dies
	h.session.Size = ledger.Size{Cols: 80, Rows: 24}
	log := newLog(t, h, transcript.DefaultMax)
	log.Append([]byte("written"), transcript.Output, time.Second)
	log.Flush()
	out := newTaker(0)
	if at, missing, err := h.dial(t).Follow(withPatience(t), 0, out.sink()); err != nil || at != 7 || missing != 0 || out.text[transcript.Output] != "written" {
		t.Errorf("at %d, %d are missing, %q, %v", at, missing, out.text, err)
	}
}

// Bytes that nobody has kept are counted, and the rest comes.
func TestFollowMissing(t *testing.T) {
	t.Parallel()
	const all = 3 * transcript.MinMax
	p := newPrinter(t, true, transcript.MinMax)
	line := bytes.Repeat([]byte("y"), 1<<10)
	for range all / len(line) {
		p.log.Append(line, transcript.Output, time.Second)
	}
	p.log.Flush()
	p.grown <- p.log.Next()
	close(p.grown)
	out := newTaker(0)
	at, missing, err := p.dial(t).Follow(withPatience(t), 0, out.sink())
	if got := int64(len(out.text[transcript.Output])); err != nil || at != all || missing == 0 || got+missing != all {
		t.Errorf("at %d, %d are missing, %d came, %v", at, missing, got, err)
	}
}

// A sink that fails, or a context that ends, ends a Follow at once.
func TestFollowEnds(t *testing.T) {
	t.Parallel()
	p := newPrinter(t, true, transcript.DefaultMax)
	p.print(transcript.Output, "text")
	failure := errors.New("the reader is full")
	c := p.dial(t)
	if at, _, err := c.Follow(withPatience(t), 0, Sink{Write: func([]byte, transcript.Kind, int64) error { return failure }}); err != failure || at != 0 {
		t.Errorf("at %d, %v", at, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var asked time.Duration
	sink := Sink{
		Write: func([]byte, transcript.Kind, int64) error { return nil },
		Quiet: func(since time.Duration) (time.Duration, error) {
			asked = since
			cancel()
			return time.Hour, nil
		},
	}
	if at, _, err := c.Follow(ctx, 4, sink); !errors.Is(err, context.Canceled) || at != 4 || asked <= 0 {
		t.Errorf("at %d after a quiet of %v, %v", at, asked, err)
	}
	close(p.grown)
}

// When the holder of a session that is not recorded was killed, a reader that may lack the end of the output gets an error. One
// that has all of it does not.
func TestFollowUnrecorded(t *testing.T) {
	h := newHolder(t, func(net.Conn, *bufio.Reader) {})
	h.session.NoRecord = true // the holder that the record names does not live
	c := EndedConn(h.dir, h.session, nil)
	sink := Sink{Write: func([]byte, transcript.Kind, int64) error { return nil }}
	if _, _, err := c.Follow(t.Context(), 10, sink); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("the end is not known: %v", err)
	}
	h.session.OutputBytes, h.session.Closed = 11, true
	if err := h.dir.SaveSession(h.session); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Follow(t.Context(), 10, sink); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("a byte is missing: %v", err)
	}
	if next, missing, err := c.Follow(t.Context(), 11, sink); next != 11 || missing != 0 || err != nil {
		t.Errorf("nothing is missing: %d, %d, %v", next, missing, err)
	}
}
