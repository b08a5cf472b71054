package screen

import (
	"bytes"
	"hash/maphash"
	"io"
	"slices"
	"time"
)

// Settle writes lines that could still change after output has been quiet for so long.
const (
	settleText   = 100 * time.Millisecond // if the program only wrote text
	settleMoving = time.Second            // if the program moves about the screen
)

// The states of a row that is still on the screen. Larger values are the hash of the text that Plain
// has written of it.
const (
	fresh    = iota // Plain has written nothing of it
	replaced        // Plain has written its text, and a clear has replaced that since
	kept            // Plain has written its present text; only during Resize
)

// Settle writes the complete lines that are held: those above the line of the cursor. quiet is how
// long output has been quiet. Settle writes after 100 ms if the program never moved the cursor up or
// to a row, never hid it and set no scroll region. Otherwise it writes after 1 s. A line that
// changes afterwards is written once more, in its final state, when it scrolls off or at Close. It
// then has only the rows that were still on the screen, and lines below it may already have been
// written.
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
		if line[0].settled == fresh || goesOn { // to write the rest would tear the line apart
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

// GoOn makes w get the output from now on, for a reader that has the text so far. Of the lines that are held, only those
// that change afterwards are written, in their final state. Without whole, an unfinished line goes on where it ended, if the
// program has only written text; with it, what is below the cursor is not yet known to the reader.
func (p *Plain) GoOn(w io.Writer, whole bool) {
	if whole {
		p.toScreen()
	}
	p.w, p.out, p.open = w, p.out[:0], false
	if p.flat {
		p.text.reset()
		return
	}
	rows := p.term.main.rows
	if whole && p.term.page == &p.term.main {
		known := p.term.row
		if !rows[known].blank() {
			known++ // otherwise Settle would write what comes there behind the lines below
		}
		rows = rows[:known]
	}
	for _, r := range rows {
		p.settle(r)
	}
	if whole { // IPython clears what was typed and draws it again before its output
		for _, r := range rows[min(len(p.complete()), len(rows)):] {
			p.typed = append(p.typed, r.settled)
		}
	}
}

// DropLine drops the line of the cursor, and what is below it.
func (p *Plain) DropLine() {
	p.parser.flush(p)
	if p.flat {
		p.text.b = p.text.b[:bytes.LastIndexByte(p.text.b, '\n')+1]
		return
	}
	for _, r := range p.term.main.rows[len(p.complete()):] {
		r.renew(0)
	}
}

// SettleAfter returns how long output must be quiet before Settle writes something. held is false if
// Settle would write nothing.
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

// lineOf returns the rows of the line that begins with the first of rows.
func lineOf(rows []*row) []*row {
	n := 1
	for n < len(rows) && rows[n-1].wrapped {
		n++
	}
	return rows[:n]
}

// settle marks a row as written.
func (p *Plain) settle(r *row) { r.settled = p.hash(r) }

// hash returns a hash of the text of a row, without the blanks at its end: line editors draw some and remove them again.
func (p *Plain) hash(r *row) uint32 {
	p.scratch = p.appendRow(p.scratch[:0], r)
	return max(uint32(maphash.Bytes(p.seed, bytes.TrimRight(p.scratch, " "))), kept+1)
}

// done reports whether Plain has written all text of these rows, which end a line, or they are blank now.
func (p *Plain) done(line []*row) bool {
	same, blank := true, true
	for _, r := range line {
		again := r.settled == replaced && slices.Contains(p.typed, p.hash(r))
		if r.settled <= replaced && !again {
			return false
		}
		same = same && (again || r.settled == kept || r.settled == p.hash(r))
		blank = blank && r.blank()
	}
	return same || blank
}

// goesOn reports whether the top row of the main screen continues the line that the output ends
// with.
func (p *Plain) goesOn() bool { return p.open && p.term.history.open }

// leave writes the first of rows, which leaves the main screen.
func (p *Plain) leave(rows []*row) {
	p.clean++
	goesOn, r := p.goesOn(), rows[0]
	if !goesOn && p.done(lineOf(rows)) {
		p.endLine()
		return
	}
	p.emit(rows[:1], goesOn, !r.wrapped)
	if len(p.out) >= pieceSize {
		p.flush()
	}
}

// endLine ends the line that the output is in, if it is in one.
func (p *Plain) endLine() {
	if p.open {
		p.out = append(p.out, '\n')
		p.open = false
	}
}

// emit writes a line, or part of one. goesOn means that it continues the line in the output, and
// ended that the line ends with it.
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

// emitPage writes the rest of a page at Close.
func (p *Plain) emitPage(page *page, goesOn bool) {
	rows := page.rows[:page.end()]
	for len(rows) > 0 {
		line := lineOf(rows)
		rows = rows[len(line):]
		if len(rows) == 0 && !goesOn && len(line) == 1 && line[0].blank() {
			return // only the end of the line before
		}
		if goesOn || !p.done(line) {
			p.emit(line, goesOn, len(rows) > 0)
		}
		goesOn = false
	}
}

// end returns how many rows of the page are written at Close.
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
