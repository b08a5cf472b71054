package hold

import (
	"math"
	"testing"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/wire"
	"devtools/screen"
)

func newDisplay(t *testing.T) *display {
	t.Helper()
	c := newCore(t)
	return &display{core: c, clients: &clients{core: c, links: map[*link]bool{}}, reply: func([]byte, int64) {}}
}

// print appends output as the loop does.
func (d *display) print(text string) {
	d.log.Append([]byte(text), transcript.Output, 0)
	d.paint([]byte(text))
}

// A client gets the picture with all output from before its request.
func TestDisplayPicture(t *testing.T) {
	d, l := newDisplay(t), newClient()
	d.print("one\r\ntwo")
	d.serve(l, &wire.Request{ID: 1, Op: wire.OpScreen})
	d.until(t, "the picture", func() bool { return len(l.send) > 0 })
	resp := l.answered()[0]
	snapshot, err := screen.Decode(resp.Payload)
	if err != nil || resp.Offset != 8 {
		t.Fatalf("offset %d, %v", resp.Offset, err)
	}
	if got := snapshot.Text(0, true) + "/" + snapshot.Text(1, true); got != "one/two" {
		t.Errorf("it shows %q", got)
	}
}

// One client cannot ask for too many pictures at once.
func TestDisplayBounds(t *testing.T) {
	d, l := newDisplay(t), newClient()
	l.shows = maxShows
	d.serve(l, &wire.Request{ID: 1, Op: wire.OpScreen})
	if got := l.answered(); len(got) != 1 || got[0].Error == nil {
		t.Errorf("%+v", got)
	}
}

// A request for another size is answered when the size is another one.
func TestDisplaySize(t *testing.T) {
	d, same, other, gone := newDisplay(t), newClient(), newClient(), newClient()
	size := d.session.Size
	d.serve(same, &wire.Request{ID: 1, Op: wire.OpSize, Size: size})
	d.serve(gone, &wire.Request{ID: 2, Op: wire.OpSize, Size: size})
	d.serve(other, &wire.Request{ID: 3, Op: wire.OpSize, Size: ledger.Size{Cols: 1, Rows: 1}})
	sameIDs(t, "another size already", other.answered(), 3)
	sameIDs(t, "the same size", same.answered())
	d.dropped(gone)
	if d.waiting(same) != 1 || d.waiting(gone) != 0 {
		t.Errorf("%d and %d requests wait", d.waiting(same), d.waiting(gone))
	}
	lines := 7
	d.serve(same, &wire.Request{ID: 4, Op: wire.OpResize, Scrollback: &lines})
	sameIDs(t, "the scrollback alone", same.answered(), 4)
	d.session.Size.Cols++
	d.tellSize()
	sameIDs(t, "a new size", same.answered(), 1)
	if wire.Scrollback(d.session) != lines {
		t.Errorf("scrollback %d", wire.Scrollback(d.session))
	}
}

// While a person's terminal shows the session, it answers the program's queries. After that the holder does, from the next
// byte on.
func TestDisplayMute(t *testing.T) {
	d, person := newDisplay(t), newClient()
	d.clients.links[person] = true
	d.print("some")
	if d.mute(); d.muted.Load() != 0 {
		t.Errorf("muted up to %d without a person", d.muted.Load())
	}
	d.serve(person, &wire.Request{ID: 1, Op: wire.OpView, On: true})
	if d.muted.Load() != math.MaxInt64 {
		t.Errorf("muted up to %d with a person", d.muted.Load())
	}
	delete(d.clients.links, person)
	if d.dropped(person); d.muted.Load() != 4 {
		t.Errorf("muted up to %d after the person", d.muted.Load())
	}
}
