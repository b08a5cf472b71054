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

// maxShows is how many pictures one client can ask for at once. Each may be large.
const maxShows = 4

// errBusyFeed reports that the picture is too far behind for another order.
var errBusyFeed = errors.New("too much waits for the picture already")

// show makes the screen feed answer a request for the picture.
func (h *holder) show(l *link, req *wire.Request) {
	s := show{view: screen.Visible(), since: req.Since}
	if req.View != nil {
		s.view = *req.View
	}
	h.order(l, req, s, func(resp *wire.Response, pic frame) { resp.Payload = pic.Snapshot.Encode() })
}

// order makes the screen feed make a picture. fill puts it into the response.
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

// resize changes the size of the terminal, or the scrollback. The program learns of the size by SIGWINCH.
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
	if req.Size != (ledger.Size{}) { // also for the same size: the program may have changed it
		if err := h.program.Tty.Resize(size); err != nil {
			return err
		}
	}
	if size == h.session.Size && lines == wire.Scrollback(h.session) {
		return nil
	}
	at := h.log.Next()
	// There is room: only this goroutine gives orders.
	h.screenFeed.order(order{at: at, resize: true, size: size, scrollback: lines})
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

// sizeText writes a size as the transcript does.
func sizeText(size ledger.Size) string { return fmt.Sprintf("%dx%d", size.Cols, size.Rows) }

// A frame is a Picture with details that only the holder needs.
type frame struct {
	wire.Picture
	since    int // first row printed after the last input
	scrolled int // rows that had left the screen

	redraw []byte // draws the terminal, in place of Snapshot; output from Offset on continues it
	size   ledger.Size
}
