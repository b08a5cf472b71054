package hold

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/wire"
	"devtools/screen"
)

const (
	// paintStep is how many bytes of the transcript become picture at a time.
	paintStep = 64 << 10

	// askedStep is the same while a client waits for the picture.
	askedStep = 4 << 10

	// maxPaintLag is how long a request waits until the picture shows all output from before the request. In a
	// flood of output, the request is then answered with the present picture, whose offset says how far it has
	// come.
	maxPaintLag = 250 * time.Millisecond

	// maxFrame is how long a frame of synchronized output may take before it is shown unfinished.
	maxFrame = time.Second

	// maxOrders is how many orders may wait for the screen feed.
	maxOrders = 1024
)

// A screenFeed makes the picture of a session's screen. Its goroutine feeds a terminal model with the
// transcript. It never keeps the holder waiting: the loop only tells it how far the transcript has grown. In a
// flood of output the picture falls behind, and its offset says so.
type screenFeed struct {
	reader  *transcript.Reader
	target  target
	orders  chan order
	replies feedReplies
	failed  func(error) // takes a fault of the screen feed; must not block
	modes   atomic.Pointer[modesAt]

	// The remaining fields belong to the goroutine.
	terminal   *screen.Terminal
	at         int64 // offset of the picture
	buffer     []byte
	drawing    drawing
	remembered remembered
	queue      []order // in order of offset
	waiting    []show  // in order of time
	conditions observed
	lastTyped  *lastInput // the last input, with its row from the start of the output; nil if the cursor was hidden
	typedRow   int        // row of the cursor at the last input, from the start of the output
	typedRows  []uint64   // hashes of the rows at the last input, if the cursor was hidden
	typedFirst int        // number of the first of typedRows, from the start of the output
	typedAt    int64      // how much output there was then
	typing     typing
}

// A target is how far the transcript has grown.
type target struct {
	end  atomic.Int64
	wake chan struct{} // holds a value when the end has grown
}

// The feedReplies are where the terminal's answers to queries of the program go.
type feedReplies struct {
	take  func(answer []byte, asked int64) // must not block; asked is the offset of the query
	muted *atomic.Int64                    // offset up to which a person's terminal answers instead
}

// A drawing is a frame of synchronized output that is not finished.
type drawing struct {
	since  time.Time // when it was first seen; zero without one
	number int       // number of that frame
}

// The observed conditions are those that clients wait for.
type observed struct {
	list  []*screenCondition
	at    int64 // offset of the picture when they were last looked at
	stale bool  // the picture has changed since, without output
}

// A modesAt holds the modes of the terminal at an offset.
type modesAt struct {
	at    int64
	modes screen.Modes
}

// An order is an event for the picture at an offset, such as output, a resize, or a request for the picture.
type order struct {
	at              int64
	data            []byte // output that is not on disk
	show            *show
	screenCondition *screenCondition
	typed           *lastInput  // something was typed; the feed adds where
	hidden          *takenInput // what was typed without an echo
	interrupted     bool        // the line that is being typed goes on in another way
	prompt          bool        // the prompt of an integrated shell ends
	accepted        bool        // an integrated shell has taken the line
	last            bool        // nothing more will be printed
	begun           bool        // a command begins; the rows above are not part of it
	then            func()      // called when the picture has come to the offset and all conditions were checked

	resize     bool
	size       ledger.Size // zero without a terminal
	scrollback int
}

// A show is a request for the picture.
type show struct {
	view   screen.View
	since  string
	redraw bool  // asks for output that draws it on another terminal, not for the picture itself
	at     int64 // end of the output when the request came
	until  time.Time
	answer func(frame, error)
}

// newFeed returns the screen feed of a session whose transcript is in place.
func newFeed(place transcript.Place, size ledger.Size, scrollback int, answers func([]byte, int64), muted *atomic.Int64, shown func(shownText), failed func(error)) *screenFeed {
	p := &screenFeed{
		reader:   transcript.Open(place),
		target:   target{wake: make(chan struct{}, 1)},
		orders:   make(chan order, maxOrders),
		replies:  feedReplies{answers, muted},
		failed:   failed,
		typedRow: -1,
		typing:   typing{note: shown},
		terminal: wire.NewTerminal(size, scrollback),
		buffer:   make([]byte, paintStep),
	}
	p.terminal.OnReply(func(answer []byte) {
		if p.at >= p.replies.muted.Load() {
			p.replies.take(answer, p.at+int64(p.terminal.Index()))
		}
	})
	go p.paint()
	return p
}

// grown tells the feed that the transcript has grown to next. It never blocks.
func (p *screenFeed) grown(next int64) {
	p.target.end.Store(next)
	select {
	case p.target.wake <- struct{}{}:
	default:
	}
}

// order hands an order over, and reports whether there was room for it. It never blocks.
func (p *screenFeed) order(o order) bool {
	select {
	case p.orders <- o:
		return true
	default:
		return false
	}
}

// full reports whether there is no room for another order.
func (p *screenFeed) full() bool { return len(p.orders) == cap(p.orders) }

// paint is the goroutine of the screen feed.
func (p *screenFeed) paint() {
	defer p.fail()
	for {
		to := p.target.end.Load() // read before the orders are taken: no order for an offset up to it comes later
		p.take()
		if !p.step(to) {
			p.wait()
		}
		p.answerThose(time.Now())
		p.observe(time.Now())
		p.judgeLines(time.Now())
		if known := p.modes.Load(); known == nil || known.at != p.at && p.at >= p.target.end.Load() {
			p.modes.Store(&modesAt{p.at, p.terminal.Modes()})
		}
	}
}

// fail ends the screen feed after a fault of its own. The session goes on without a picture.
func (p *screenFeed) fail() {
	err := fmt.Errorf("the picture cannot be made: %v", recover())
	p.failed(err)
	for _, s := range p.waiting {
		s.answer(frame{}, err)
	}
	for _, s := range p.conditions.list {
		s.fail(err)
	}
	for _, o := range p.queue {
		p.refuse(o, err)
	}
	for o := range p.orders {
		p.refuse(o, err)
	}
}

// refuse answers an order that can no longer be carried out.
func (p *screenFeed) refuse(o order, err error) {
	switch {
	case o.show != nil:
		o.show.answer(frame{}, err)
	case o.screenCondition != nil:
		o.screenCondition.fail(err)
	case o.then != nil:
		o.then()
	}
}

// wait blocks until there may be something to do.
func (p *screenFeed) wait() {
	var due <-chan time.Time
	at := soonest(p.due(), p.typingDue())
	if len(p.waiting) > 0 && (at.IsZero() || p.waiting[0].until.Before(at)) {
		at = p.waiting[0].until
	}
	if !at.IsZero() {
		due = time.After(time.Until(at))
	}
	select {
	case <-p.target.wake:
	case o := <-p.orders:
		p.file(o)
	case <-due:
	}
}

// take collects the orders that have come.
func (p *screenFeed) take() {
	for len(p.queue) < maxOrders {
		select {
		case o := <-p.orders:
			p.file(o)
		default:
			return
		}
	}
}

// file puts an order where it waits. A request for the picture waits for its time, and a screen condition for
// a change of the picture. The other orders wait until the picture comes to their offset.
func (p *screenFeed) file(o order) {
	switch {
	case o.show != nil:
		p.waiting = append(p.waiting, *o.show)
		return
	case o.screenCondition != nil:
		p.conditions.list = append(p.conditions.list, o.screenCondition)
		return
	}
	p.queue = append(p.queue, o)
}

// step brings the picture a little further towards an offset, or carries out the next order. It reports
// whether there was anything to do.
func (p *screenFeed) step(to int64) bool {
	if len(p.queue) > 0 {
		to = p.queue[0].at
	}
	if p.at < to && p.follow(to) {
		return true
	}
	if len(p.queue) == 0 {
		return false
	}
	o := p.queue[0]
	p.queue = p.queue[1:]
	switch {
	case o.data != nil:
		p.at = max(p.at, o.at)
		if done := p.at - o.at; done < int64(len(o.data)) { // otherwise it has got to the disk, and from there to the picture
			p.write(o.data[done:])
			p.at = o.at + int64(len(o.data))
		}
	case o.then != nil:
		p.observe(time.Now())
		o.then()
	case o.typed != nil:
		p.typed(*o.typed)
	case o.hidden != nil:
		p.typeHidden(o.hidden)
	case o.interrupted:
		p.typing.interrupt()
	case o.prompt:
		p.promptShown()
	case o.accepted:
		p.judgeAccepted()
	case o.last:
		p.judgeLast()
	case o.begun:
		p.typedRow = p.cursorRow() - 1
	case o.resize:
		p.conditions.stale = true
		p.typing.line, p.typing.over = nil, nil // the rows have other numbers now
		before := p.terminal.Snapshot(screen.View{Last: -1}).History
		p.terminal.SetScrollback(o.scrollback)
		if o.size != (ledger.Size{}) {
			p.terminal.Resize(o.size.Cols, o.size.Rows)
		}
		if before > screen.DefaultScrollback {
			debug.FreeOSMemory() // an idle holder would not return the memory
		}
	}
	return true
}

// follow writes the next piece of the transcript to the terminal, up to an offset. It reports whether the
// piece could be read. On a full disk the piece is not there, and comes as an order.
func (p *screenFeed) follow(to int64) bool {
	piece := p.buffer
	if len(p.waiting)+len(p.conditions.list)+len(p.typing.over) > 0 { // they are looked at between the pieces
		piece = piece[:askedStep]
	}
	if muted := p.replies.muted.Load(); p.at < muted && muted < to { // only one side answers the queries in a piece
		to = muted
	}
	n, gap, err := p.reader.ReadAt(piece[:min(int64(len(piece)), to-p.at)], p.at)
	if err != nil || n == 0 {
		return false
	}
	p.at += gap
	n = int(min(int64(n), to-p.at))
	if n > 0 {
		p.write(p.buffer[:n])
		p.at += int64(n)
	}
	return true
}

func (p *screenFeed) write(b []byte) {
	_, _ = p.terminal.Write(b) // never fails
	if number, unfinished := p.terminal.Drawing(); !unfinished {
		p.drawing.since = time.Time{}
	} else if number != p.drawing.number {
		p.drawing = drawing{time.Now(), number}
	}
}

// answerThose answers the requests whose picture is ready or whose time is over.
func (p *screenFeed) answerThose(now time.Time) {
	p.waiting = slices.DeleteFunc(p.waiting, func(s show) bool {
		due := len(p.queue) > 0 && p.queue[0].at <= s.at // a new size, which the client may know already
		if (p.at < s.at || due) && now.Before(s.until) {
			return false
		}
		s.answer(p.picture(s, now), nil)
		return true
	})
}

// picture returns the answer to a request.
func (p *screenFeed) picture(s show, now time.Time) frame {
	if s.redraw {
		cols, rows := p.terminal.Size()
		output, unread := p.terminal.Redraw()
		return frame{redraw: output, size: ledger.Size{Cols: cols, Rows: rows}, Picture: wire.Picture{Offset: p.at - int64(unread)}}
	}
	view := s.view
	view.Unfinished = view.Unfinished || !p.drawing.since.IsZero() && now.Sub(p.drawing.since) > maxFrame
	snapshot := p.terminal.Snapshot(view)
	pic := frame{Picture: wire.Picture{Snapshot: snapshot, Offset: p.at}, scrolled: p.terminal.Scrolled(), hidden: p.terminal.HiddenRow()}
	if cursor := p.cursorRow(); cursor >= p.typedRow { // otherwise the screen was redrawn since
		pic.since = max(p.typedRow+1-p.terminal.Scrolled(), 0)
	}
	pic.since = min(pic.since, p.firstChanged(snapshot))
	pic.typed = p.lastTyped
	if s.since != "" {
		pic.Compare(s.since, p.remembered.rowsOf(s.since))
	}
	if view.First == 0 && view.Last >= snapshot.Rows-1 && !view.Other {
		p.remembered.add(rememberedPicture{snapshot.Hash(), snapshot.RowHashes()})
	}
	return pic
}

// cursorRow returns the row of the cursor, counted from the start of the output.
func (p *screenFeed) cursorRow() int { return p.terminal.Scrolled() + p.terminal.CursorRow() }
