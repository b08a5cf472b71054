package hold

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/prompt"
	"devtools/runner/wire"
	"devtools/screen"
)

// maxShows is how many pictures one client can ask for at once. Each may be large.
const maxShows = 4

// errBusyFeed reports that the picture is too far behind for another order.
var errBusyFeed = errors.New("too much waits for the picture already")

// A display has what a terminal shows: the picture, which the screen feed makes, and the size. It also knows who answers
// the program's queries: the terminal of a person who sees the session, or else the screen feed.
type display struct {
	*core
	clients *clients
	reply   func(answer []byte, asked int64) // types the terminal's answer to a query; the screen feed calls it
	shown   func(shownText)                  // notes what was typed; the screen feed calls it
	hidden  bool                             // something was typed whose text is noted only if it is shown
	feed    *screenFeed                      // nil until output or a request needs it
	muted   atomic.Int64                     // offset up to which a person's terminal answers queries
	sizes   []sizePending                    // requests that wait for another size
}

// A sizePending is a request that waits until the size of the terminal differs from size.
type sizePending struct {
	pending
	size ledger.Size
}

// A frame is a Picture with details that only the holder needs.
type frame struct {
	wire.Picture
	since    int           // first row printed after the last input
	typed    *lastInput    // the last input, with its row from the start of the output; nil if there was none, or while the cursor was hidden
	scrolled int           // rows that had left the screen
	hidden   int           // row where the cursor was last hidden, from the start of the output
	caret    *prompt.Caret // where a caret blinks; nil if none is known

	redraw []byte // draws the terminal, in place of Snapshot; output from Offset on continues it
	size   ledger.Size
}

// serve answers the requests about the picture and the size.
func (d *display) serve(l *link, req *wire.Request) {
	switch req.Op {
	case wire.OpScreen:
		s := show{view: screen.Visible(), since: req.Since}
		if req.View != nil {
			s.view = *req.View
		}
		d.show(l, req, s, func(resp *wire.Response, pic frame) { resp.Payload = pic.Snapshot.Encode() })
	case wire.OpRedraw:
		d.show(l, req, show{redraw: true}, func(resp *wire.Response, pic frame) {
			resp.Size, resp.Payload = &pic.size, pic.redraw
		})
	case wire.OpView:
		l.viewing = req.On
		d.mute()
		l.answer(wire.Response{ID: req.ID})
	case wire.OpSize:
		d.sizes = append(d.sizes, sizePending{pending{link: l, id: req.ID}, req.Size})
		d.tellSize()
	case wire.OpResize:
		if err := d.resize(req); err != nil {
			l.refuse(req, err)
			return
		}
		l.answer(wire.Response{ID: req.ID, Session: d.record()})
	}
}

// paint tells the screen feed that the transcript has grown by data.
func (d *display) paint(data []byte) {
	if d.feed == nil {
		if d.program.Tty == nil {
			// Without a terminal, the program sends no queries. The first request for a picture starts the
			// feed.
			return
		}
		d.start()
	}
	if unsaved, _ := d.log.Unsaved(0); len(unsaved) > 0 {
		// The feed cannot read this output from the disk.
		d.feed.order(order{at: d.log.Next() - int64(len(data)), data: bytes.Clone(data)})
	}
	d.feed.grown(d.log.Next())
}

// start starts the screen feed, unless it runs.
func (d *display) start() {
	if d.feed != nil {
		return
	}
	size := d.session.Size
	if d.session.StartSize != (ledger.Size{}) {
		size = d.session.StartSize
	}
	d.feed = newFeed(d.log.Place(), size, wire.Scrollback(d.session), d.reply, &d.muted, d.shown, d.note)
	d.feed.grown(d.log.Next())
}

// order gives the screen feed an order. It returns errBusyFeed if the feed has no room for it.
func (d *display) order(o order) error {
	d.start()
	if !d.feed.order(o) {
		return errBusyFeed
	}
	return nil
}

// mark notes an event at an offset, if there is a picture. If the feed has no room, a question only seems longer.
func (d *display) mark(o order) {
	if d.feed != nil {
		d.feed.order(o)
	}
}

// markTyping tells the screen feed about the line of an integrated shell. Without hidden input, it is not worth an order.
func (d *display) markTyping(o order) {
	if d.hidden {
		d.mark(o)
	}
}

// picture makes the screen feed hand over the visible screen, with all output so far. answer must not block.
func (d *display) picture(answer func(frame, error)) error {
	return d.order(order{show: &show{view: screen.Visible(), at: d.log.Next(), until: time.Now().Add(maxPaintLag), answer: answer}})
}

// show makes the screen feed make a picture for a client. fill puts it into the response.
func (d *display) show(l *link, req *wire.Request, s show, fill func(*wire.Response, frame)) {
	if l.shows == maxShows {
		l.refuse(req, errors.New("too many pictures are asked for at once"))
		return
	}
	s.at, s.until = d.log.Next(), time.Now().Add(maxPaintLag)
	s.answer = func(pic frame, err error) {
		resp := wire.Response{ID: req.ID, Offset: pic.Offset, Next: max(s.at, pic.Offset), Known: pic.Known, Changed: pic.Changed}
		if err != nil {
			resp.Error = wire.NewFault(err)
		} else {
			fill(&resp, pic)
		}
		d.done <- func() {
			l.shows--
			if !l.gone {
				l.answer(resp)
			}
		}
	}
	if err := d.order(order{show: &s}); err != nil {
		l.refuse(req, err)
		return
	}
	l.shows++
}

// mute notes whether a person's terminal shows the session, and at which offset the last such terminal stops.
func (d *display) mute() {
	switch was := d.muted.Load() == math.MaxInt64; {
	case d.clients.viewed():
		d.muted.Store(math.MaxInt64)
	case was:
		d.muted.Store(d.log.Next())
	}
}

// resize changes the size of the terminal, or the scrollback. The program learns of the size by SIGWINCH.
func (d *display) resize(req *wire.Request) error {
	size, lines := d.session.Size, wire.Scrollback(d.session)
	if req.Size != (ledger.Size{}) {
		size = req.Size
		if size.Cols < 1 || size.Rows < 1 || size.Cols > screen.MaxCols || size.Rows > screen.MaxRows {
			return fmt.Errorf("size %dx%d: a terminal has from 1x1 to %dx%d cells", size.Cols, size.Rows, screen.MaxCols, screen.MaxRows)
		}
	}
	if req.Scrollback != nil {
		lines = min(max(*req.Scrollback, 0), screen.MaxScrollback)
	}
	d.start()
	if d.feed.full() {
		return errBusyFeed
	}
	if req.Size != (ledger.Size{}) { // also for the same size: the program may have changed it
		if err := d.program.Tty.Resize(size); err != nil {
			return err
		}
	}
	if size == d.session.Size && lines == wire.Scrollback(d.session) {
		return nil
	}
	at := d.log.Next()
	// There is room: only this goroutine gives orders.
	d.feed.order(order{at: at, resize: true, size: size, scrollback: lines})
	d.log.Note(transcript.Entry{
		At: time.Since(d.started), Kind: transcript.Resize, Offset: at,
		Text: sizeText(size), Scrollback: lines,
	})
	if d.session.StartSize == (ledger.Size{}) {
		d.session.StartSize = d.session.Size
	}
	d.session.Size = size
	if lines != wire.Scrollback(d.session) {
		d.session.Scrollback = &lines
	}
	d.save()
	d.tellSize()
	return nil
}

// sizeText writes a size as the transcript does.
func sizeText(size ledger.Size) string { return fmt.Sprintf("%dx%d", size.Cols, size.Rows) }

// tellSize answers the clients that wait for another size of the terminal.
func (d *display) tellSize() {
	d.sizes = slices.DeleteFunc(d.sizes, func(p sizePending) bool {
		if p.size == d.session.Size {
			return false
		}
		p.link.answer(wire.Response{ID: p.id, Session: d.record()})
		return true
	})
}

// waiting returns how many requests of the client wait for another size.
func (d *display) waiting(l *link) (n int) {
	for _, p := range d.sizes {
		if p.link == l {
			n++
		}
	}
	return n
}

// dropped forgets the requests of a client that is gone.
func (d *display) dropped(l *link) {
	d.sizes = slices.DeleteFunc(d.sizes, func(p sizePending) bool { return p.link == l })
	d.mute()
}
