package screen

import (
	"bytes"
	"hash/maphash"
	"time"
)

// How long output must have been quiet before Settle writes lines that could
// still change.
const (
	settleText   = 100 * time.Millisecond // of a program that only wrote text
	settleMoving = time.Second            // of one that moves about the screen
)

// What has been written of a row while it was still on the screen. More than
// these is the hash of the text that was.
const (
	fresh    = iota // nothing
	replaced        // something, and the screen was cleared since: what it holds is new
	kept            // what it holds: for the time of a Resize
)

// Settle writes the complete lines that are held, given for how long output
// has been quiet; that is those above the line of the cursor. It writes them
// after 100 ms of a program that never moved the cursor up or to a row, hid it
// or set a scroll region, and after 1 s of one that did. A line that changes
// after it was written is written once more, in its final state and as far as
// it was still on the screen, when it scrolls off or at Close; lines below it
// may have been written by then.
func (p *Plain) Settle(quiet time.Duration) error {
	if after, held := p.SettleAfter(); !held || quiet < after {
		return p.err
	}
	if p.flat {
		t := &p.text
		end := bytes.LastIndexByte(t.b, '\n') + 1
		p.send(t.b[t.written:end])
		t.written = end
		return p.err
	}
	goesOn := p.goesOn()
	for rows := p.complete(); len(rows) > 0; {
		line := lineOf(rows)
		if line[0].settled == fresh || goesOn { // what was written of it would be torn apart
			p.emit(line, goesOn, true)
			for _, r := range line {
				p.settle(r)
			}
		}
		rows, goesOn = rows[len(line):], false
	}
	p.flush()
	return p.err
}

// SettleAfter returns how long output must be quiet for Settle to write
// something. held is false if Settle would write nothing.
func (p *Plain) SettleAfter() (quiet time.Duration, held bool) {
	if p.flat {
		held = bytes.IndexByte(p.text.b[p.text.written:], '\n') >= 0
	} else {
		for rows := p.complete(); len(rows) > 0 && !held; rows = rows[len(lineOf(rows)):] {
			held = rows[0].settled == fresh
		}
	}
	if p.moving {
		return settleMoving, held
	}
	return settleText, held
}

// complete returns the rows of the main screen above the line of its cursor.
func (p *Plain) complete() []*row {
	row := p.term.row
	if p.term.page == &p.term.alt {
		row = p.term.main.saved.row
	}
	rows := p.term.main.rows
	for row > 0 && rows[row-1].wrapped {
		row--
	}
	return rows[:row]
}

// lineOf returns the first of rows with those that go on with its line.
func lineOf(rows []*row) []*row {
	n := 1
	for n < len(rows) && rows[n-1].wrapped {
		n++
	}
	return rows[:n]
}

// settle marks a row as written out.
func (p *Plain) settle(r *row) { r.settled = p.hash(r) }

// hash stands for the text of a row.
func (p *Plain) hash(r *row) uint32 {
	p.scratch = p.appendRow(p.scratch[:0], r)
	return max(uint32(maphash.Bytes(p.seed, p.scratch)), kept+1)
}

// done reports whether a line, or the rest of one, has been written and would
// say nothing new.
func (p *Plain) done(line []*row) bool {
	same, blank := true, true
	for _, r := range line {
		if r.settled <= replaced {
			return false
		}
		same = same && (r.settled == kept || r.settled == p.hash(r))
		blank = blank && r.blank()
	}
	return same || blank
}

// goesOn reports whether the top row of the main screen goes on with the line
// that output is in.
func (p *Plain) goesOn() bool { return p.open && p.term.history.open }

// leave writes the first of rows, which leaves the main screen.
func (p *Plain) leave(rows []*row) {
	p.clean++
	goesOn, r := p.goesOn(), rows[0]
	if !goesOn && r.settled > replaced && p.done(lineOf(rows)) {
		p.endLine()
		return
	}
	p.emit(rows[:1], goesOn, !r.wrapped)
	if len(p.out) >= pieceSize {
		p.flush()
	}
}

// endLine ends the line that output is in, if it is in one.
func (p *Plain) endLine() {
	if p.open {
		p.out = append(p.out, '\n')
		p.open = false
	}
}

// emit writes a line, or part of one. goesOn says that it goes on with the
// line that output is in, ended that nothing goes on with it.
func (p *Plain) emit(line []*row, goesOn, ended bool) {
	if !goesOn {
		p.endLine()
	}
	for _, r := range line {
		p.out = p.appendRow(p.out, r)
	}
	p.open = true
	if ended {
		p.endLine()
	}
}

// emitPage writes what is to be written of a page in the end.
func (p *Plain) emitPage(page *page, goesOn bool) {
	rows := page.rows[:page.end()]
	for len(rows) > 0 {
		line := lineOf(rows)
		rows = rows[len(line):]
		if len(rows) == 0 && !goesOn && len(line) == 1 && line[0].blank() {
			return // nothing but the end of the line before
		}
		if goesOn || !p.done(line) {
			p.emit(line, goesOn, len(rows) > 0)
		}
		goesOn = false
	}
}

// end returns how many rows are to be written in the end.
func (p *page) end() int {
	n := 0
	for i, r := range p.rows {
		switch {
		case r.ended:
			n = i + 2
		case !r.blank():
			n = i + 1
		}
	}
	return min(n, len(p.rows))
}
