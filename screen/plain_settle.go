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

// Settle writes the complete lines that are held, given for how long output
// has been quiet; that is those above the line of the cursor. It writes them
// after 100 ms of a program that never moved the cursor up or to a row, hid it
// or set a scroll region, and after 1 s of one that did. A line that changes
// after it was written is written once more, in its final state, when it
// scrolls off or at Close; lines below it may have been written by then.
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
	end := p.main.lineStart(p.main.row)
	for i := 0; i < end; {
		next := p.main.lineEnd(i)
		if p.main.rows[i].settled == fresh {
			p.emitLine(p.main, i, next, true)
			for ; i < next; i++ {
				p.settle(i)
			}
		}
		i = next
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
		end := p.main.lineStart(p.main.row)
		for i := 0; i < end; i = p.main.lineEnd(i) {
			held = held || p.main.rows[i].settled == fresh
		}
	}
	if p.moving {
		return settleMoving, held
	}
	return settleText, held
}

// lineStart returns the first row of the line that row is part of.
func (s *plainScreen) lineStart(row int) int {
	for row > 0 && s.rows[row].cont {
		row--
	}
	return row
}

// lineEnd returns the row behind the line that row is part of.
func (s *plainScreen) lineEnd(row int) int {
	for row++; row < len(s.rows) && s.rows[row].cont; row++ {
	}
	return row
}

// settle marks row i of the main screen as written out.
func (p *Plain) settle(i int) {
	r := p.main.rows[i]
	r.settled, r.hash = written, p.hash(i)
}

// hash stands for the text of row i of the main screen.
func (p *Plain) hash(i int) uint64 {
	rows := p.main.rows
	p.scratch = rows[i].appendTo(p.scratch[:0], i+1 < len(rows) && rows[i+1].cont)
	return maphash.Bytes(p.seed, p.scratch)
}

// done reports whether the rows from..to-1 of the main screen, a line or the
// rest of one, have been written and would say nothing new.
func (p *Plain) done(from, to int) bool {
	same, blank := true, true
	for i := from; i < to; i++ {
		r := p.main.rows[i]
		if r.settled != written {
			return false
		}
		same = same && r.hash == p.hash(i)
		blank = blank && r.blank()
	}
	return same || blank
}

// scrollOff writes the top row of the main screen, which is about to go.
// joined says whether its line goes on if no row is below it.
func (p *Plain) scrollOff(joined bool) {
	s := p.main
	r := s.rows[0]
	if len(s.rows) > 1 {
		joined = s.rows[1].cont
	}
	if goesOn := r.cont && p.open; !goesOn && r.settled != fresh && p.done(0, s.lineEnd(0)) {
		p.endLine()
		return
	}
	p.startRow(r)
	p.out = r.appendTo(p.out, joined)
	p.open = true
	if !joined {
		p.endLine()
	}
	if len(p.out) >= pieceSize {
		p.flush()
	}
}

// startRow ends the line that output is in, unless r goes on with it.
func (p *Plain) startRow(r *plainRow) {
	if !r.cont {
		p.endLine()
	}
}

// endLine ends the line that output is in, if it is in one.
func (p *Plain) endLine() {
	if p.open {
		p.out = append(p.out, '\n')
		p.open = false
	}
}

// emitLine writes the rows from..to-1, which are one line.
func (p *Plain) emitLine(s *plainScreen, from, to int, ended bool) {
	p.startRow(s.rows[from])
	for i := from; i < to; i++ {
		p.out = s.rows[i].appendTo(p.out, i+1 < to)
	}
	p.open = true
	if ended {
		p.endLine()
	}
}

// emitScreen writes what is to be written of a screen in the end.
func (p *Plain) emitScreen(s *plainScreen) {
	end := s.end()
	if end == 0 {
		return
	}
	if s == p.alt {
		p.endLine()
	}
	for i := 0; i < end; {
		next := min(s.lineEnd(i), end)
		goesOn := s.rows[i].cont && p.open
		if next == end && !s.rows[i].cont && next == i+1 && s.rows[i].blank() {
			return // nothing but the end of the line before
		}
		if s != p.main || goesOn || !p.done(i, next) {
			p.emitLine(s, i, next, next < end)
		}
		i = next
	}
}
