package attach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/wire"
	"devtools/screen"
)

const (
	// paintInterval is the minimum time between two pictures in a window whose size differs from the session's.
	paintInterval = 33 * time.Millisecond

	// outPiece is the size of one write to a person's terminal, in bytes. When the attachment ends, at most this much is
	// still on its way there.
	outPiece = 4 << 10

	// rawPiece is how much output is passed on before anything else happens, in bytes.
	rawPiece = 64 << 10
)

// A mode is the way in which a person's terminal shows a session.
type mode int

const (
	nothing  mode = iota // the session is not shown yet
	output               // the sizes are the same: the output itself goes on where it stopped
	pictures             // the sizes differ, or there is a notice: a picture of the part that fits
	copying              // copy mode
)

// A display is what a person's terminal shows of a session. One goroutine uses it.
type display struct {
	client *runner.Client
	write  func([]byte) error // writes one piece to the person's terminal
	model  *screen.Terminal   // model of the person's terminal; nil until enter
	window ledger.Size        // size of the person's terminal
	mode   mode
	synced bool // the terminal shows the session or follows it
	drawn  bool // something of the session has been shown
	// below is the program's cursor on the main screen of the terminal, which shows the output up to follower.Next below a picture or
	// copy mode; nil if it shows something else.
	below *screen.Cursor
	next  int64 // known end of the output

	// Of the mode output.
	follower *wire.Follower
	filter   screen.QueryFilter
	filtered []byte // buffer

	// Of the mode pictures.
	painter   painter
	stale     bool // there is a newer picture
	paintedAt time.Time

	copy   *copyMode // nil: the terminal shows what the program prints
	notice notice
}

// newDisplay returns a display that shows nothing yet. The caller closes its follower.
func newDisplay(c *runner.Client) *display {
	d := &display{client: c}
	passOn := func(p []byte, _ transcript.Kind, _ int64) error { return d.passOn(p) }
	d.follower = wire.NewFollower(c.Conn, 0, wire.Sink{Write: passOn})
	return d
}

// enter starts with a terminal of the size window. It moves the text there up, out of the way.
func (d *display) enter(window ledger.Size) error {
	d.window, d.mode, d.synced, d.below = window, nothing, false, nil
	d.model = screen.New(window.Cols, window.Rows, 0)
	up := append([]byte("\x1b[999;1H"), bytes.Repeat([]byte{'\n'}, min(window.Rows, screen.MaxRows))...)
	return d.print(up)
}

// saveTitle makes the terminal keep the title that it has, until the model's Leave or Reset brings it back: XTWINOPS 22, which
// terminals without it ignore.
const saveTitle = "\x1b[22;2t"

// leave undoes the changes of the session to the terminal.
func (d *display) leave() error {
	d.synced = false
	if d.model == nil {
		return nil
	}
	return d.print(d.model.Leave())
}

// resize notes a new size of the terminal.
func (d *display) resize(window ledger.Size) {
	d.window, d.synced, d.below = window, false, nil
	d.model.Resize(window.Cols, window.Rows)
	if d.copy != nil {
		d.copy.drawn = copyView{} // the terminal may have moved its rows
	}
}

// sync shows the session again. If the sizes are the same, the output goes on from there.
func (d *display) sync(ctx context.Context) error {
	if d.copy != nil {
		d.synced = true
		return d.showCopy()
	}
	resp, err := d.client.Call(ctx, wire.Request{Op: wire.OpRedraw})
	if err != nil {
		return err
	}
	first := !d.drawn
	d.next, d.synced, d.drawn = max(d.next, resp.Next), true, true
	if *resp.Size == d.window && (d.notice.text == "" || first) {
		d.synced = d.notice.text == "" // below a first notice is the output, whose end can be shown without the holder
		d.mode, d.below, d.filter, d.follower.Next = output, nil, screen.QueryFilter{}, resp.Offset
		return d.print(slices.Concat(d.model.Reset(), []byte(saveTitle), resp.Payload))
	}
	if d.mode != pictures {
		d.painter = newPainter()
		if err := d.print(d.cover(pictures)); err != nil {
			return err
		}
	}
	if *resp.Size != d.window {
		d.below = nil // what the program prints now is for another size
	}
	d.painter.forget()
	return d.paint(ctx)
}

// pass passes on one piece of the known output and reports whether there is more. There is none in the mode pictures.
func (d *display) pass(ctx context.Context) (more bool, err error) {
	if d.mode != output {
		return false, nil
	}
	err = d.follower.Copy(ctx, min(d.next, d.follower.Next+rawPiece))
	return d.follower.Next < d.next, err
}

// passRest passes on the output that a dead holder has left on disk. Without a record it has left none.
func (d *display) passRest(ctx context.Context) error {
	if d.below != nil {
		d.mode = output
		if err := d.print(fmt.Appendf(d.model.Reset(), "\x1b[%d;%dH", d.below.Row+1, d.below.Col+1)); err != nil {
			return err
		}
	}
	if d.mode != output {
		return nil
	}
	if err := d.follower.CopyRest(ctx); !errors.Is(err, wire.ErrNotRecorded) {
		return err
	}
	return nil
}

// passOn prints output from the follower. It removes queries, which the holder answers.
func (d *display) passOn(p []byte) error {
	d.filtered = d.filter.Filter(d.filtered[:0], p)
	return d.print(d.filtered)
}

// grow notes that the output ends at the offset next.
func (d *display) grow(next int64) {
	d.stale = d.stale || next > d.next
	d.next = max(d.next, next)
}

// paintTimer returns the timer for the next picture, or nil when none is needed.
func (d *display) paintTimer() <-chan time.Time {
	if d.mode != pictures || !d.stale {
		return nil
	}
	return time.After(time.Until(d.paintedAt.Add(paintInterval)))
}

// paint draws what has changed since the last picture.
func (d *display) paint(ctx context.Context) error {
	d.stale, d.paintedAt = false, time.Now()
	view := screen.Visible()
	resp, err := d.client.Call(ctx, wire.Request{Op: wire.OpScreen, View: &view})
	if err != nil {
		return err
	}
	pic, err := screen.Decode(resp.Payload)
	if err != nil {
		return err
	}
	if (ledger.Size{Cols: pic.Cols, Rows: pic.Rows}) == d.window && d.notice.text == "" {
		d.synced = false // the sizes are the same now
		return nil
	}
	return d.print(d.painter.draw(pic, d.window, d.notice.lines(d.window)))
}

// beginCopy begins copy mode with the scrollback and the screen as they are now.
func (d *display) beginCopy(ctx context.Context) error {
	resp, err := d.client.Call(ctx, wire.Request{Op: wire.OpScreen, View: &screen.View{First: -screen.MaxScrollback, Last: screen.MaxRows}})
	if err != nil {
		return err
	}
	pic, err := screen.Decode(resp.Payload)
	if err != nil {
		return err
	}
	d.copy, d.synced = newCopyMode(pic, d.window), false
	return nil
}

// showCopy draws what has changed in copy mode. The terminal has its own modes there, so that keys come in their usual form.
func (d *display) showCopy() (err error) {
	below := d.notice.lines(d.window)
	d.copy.fit(ledger.Size{Cols: d.window.Cols, Rows: d.window.Rows - len(below)})
	if d.mode != copying {
		d.copy.drawn = copyView{}
		begin := append(d.cover(copying), "\x1b[?2004h"...)
		if title := d.copy.pic.Title; title != "" {
			begin = append(begin, "\x1b]2;"+title+"\x1b\\"...)
		}
		err = d.print(append(begin, d.copy.pic.Palette.Set()...))
	}
	if err == nil {
		err = d.print(append(paintNotice(below, d.window), d.copy.paint()...))
	}
	return err
}

// cover returns output that begins a mode on the alternate screen of the terminal, in which modes are those of the terminal itself.
func (d *display) cover(m mode) []byte {
	if d.mode == output {
		d.below = &d.model.Snapshot(screen.View{First: 0, Last: -1}).Cursor
	}
	d.mode = m
	out := append(d.model.Reset(), saveTitle...)
	if d.below != nil {
		out = fmt.Appendf(out, "\x1b[%d;%dH", d.below.Row+1, d.below.Col+1) // the alternate screen saves the cursor
	}
	return append(out, "\x1b[?1049h\x1b[H\x1b[J"...)
}

// tell shows the person a text beside the session.
func (d *display) tell(text string) {
	d.notice.add(text)
	d.synced = false
}

// untell ends the notice.
func (d *display) untell() { d.notice, d.synced = notice{}, false }

// uncover ends copy mode and the notice. covered says that there was one of them.
func (d *display) uncover() (covered bool) {
	covered = d.copy != nil || d.notice.text != ""
	if covered {
		d.copy = nil
		d.untell()
	}
	return covered
}

// print writes to the terminal piece by piece, so that little is on its way when the attachment ends.
func (d *display) print(p []byte) error {
	for len(p) > 0 {
		piece := p[:min(len(p), outPiece)]
		p = p[len(piece):]
		if err := d.write(piece); err != nil {
			return err
		}
		_, _ = d.model.Write(piece) // never fails
	}
	return nil
}
