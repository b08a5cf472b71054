package hold

import (
	"errors"
	"fmt"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/wire"
	"devtools/screen"
)

// maxShows is how many pictures one client can ask for at once; each may be large.
const maxShows = 4

// errBusyFeed reports that the picture is too far behind for another order.
var errBusyFeed = errors.New("too much waits for the picture already")

// show has the screen feed answer a request for the picture.
func (h *holder) show(l *link, req *wire.Request) {
	s := show{view: screen.Visible(), since: req.Since}
	if req.View != nil {
		s.view = *req.View
	}
	h.order(l, req, s, func(resp *wire.Response, pic frame) { resp.Payload = pic.Snapshot.Encode() })
}

// order has the screen feed make a picture, of which fill makes the response.
func (h *holder) order(l *link, req *wire.Request, s show, fill func(*wire.Response, frame)) {
	if l.shows == maxShows {
		h.refuse(l, req, errors.New("too many pictures are asked for at once"))
		return
	}
	if h.screenFeed == nil {
		h.startFeed()
	}
	s.at, s.until = h.log.Next(), time.Now().Add(maxPaintLag)
	s.answer = func(pic frame, err error) {
		resp := wire.Response{ID: req.ID, Offset: pic.Offset, Next: max(s.at, pic.Offset), Known: pic.Known, Changed: pic.Changed}
		if err != nil {
			resp.Error = wire.NewFault(err)
		} else {
			fill(&resp, pic)
		}
		h.done <- func() {
			l.shows--
			if h.links[l] {
				l.answer(resp)
			}
		}
	}
	if !h.screenFeed.order(order{show: &s}) {
		h.refuse(l, req, errBusyFeed)
		return
	}
	l.shows++
}

// resize changes the size of the terminal, of which the program hears by SIGWINCH, or the scrollback.
func (h *holder) resize(req *wire.Request) error {
	size, lines := h.session.Size, wire.Scrollback(h.session)
	if req.Size != (ledger.Size{}) {
		size = req.Size
		if h.program.Tty == nil {
			return ledger.SessionError(h.session.Name, wire.ErrNoTerminal)
		}
		if size.Cols < 1 || size.Rows < 1 || size.Cols > screen.MaxCols || size.Rows > screen.MaxRows {
			return fmt.Errorf("size %dx%d: a terminal has from 1x1 to %dx%d cells", size.Cols, size.Rows, screen.MaxCols, screen.MaxRows)
		}
	}
	if req.Scrollback != nil {
		lines = min(max(*req.Scrollback, 0), screen.MaxScrollback)
	}
	if h.screenFeed == nil {
		h.startFeed()
	}
	if h.screenFeed.full() {
		return errBusyFeed
	}
	if req.Size != (ledger.Size{}) { // also where it is the same: the program may have changed it
		if err := h.program.Tty.Resize(size); err != nil {
			return err
		}
	}
	if size == h.session.Size && lines == wire.Scrollback(h.session) {
		return nil
	}
	at := h.log.Next()
	h.screenFeed.order(order{at: at, resize: true, size: size, scrollback: lines}) // there is room, and only this goroutine gives orders
	h.log.Note(transcript.Entry{
		At: time.Since(h.started), Kind: transcript.Resize, Offset: at,
		Text: sizeText(size), Scrollback: lines,
	})
	if h.session.StartSize == (ledger.Size{}) {
		h.session.StartSize = h.session.Size
	}
	h.session.Size = size
	if lines != wire.Scrollback(h.session) {
		h.session.Scrollback = &lines
	}
	h.note(h.dir.SaveSession(h.session))
	h.tellSize()
	return nil
}

// sizeText writes a size as the transcript has it.
func sizeText(size ledger.Size) string { return fmt.Sprintf("%dx%d", size.Cols, size.Rows) }

// A frame is a Picture with what the holder alone needs of it.
type frame struct {
	wire.Picture
	since    int // the first row that was printed after what was typed last
	scrolled int // how many rows had left the screen

	redraw []byte // draws the terminal, in place of Snapshot, which then goes on with the output from Offset on
	size   ledger.Size
}
