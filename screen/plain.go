// Package screen is what a terminal makes of the bytes that a program writes to
// it. A parser takes them apart into text and control sequences; of these a
// Terminal makes the picture that a person sees and the answers that the program
// gets, and Plain the plain text that a person would have seen.
//
// Input is hostile: every count is clamped, what is held is bounded by the size
// of the screen, and nothing panics, whatever comes in whatever pieces.
package screen

import (
	"hash/maphash"
	"io"
)

// pieceSize bounds how much input is taken before output is written.
const pieceSize = 32 << 10

// Plain turns what a program writes to a terminal into the text that a person
// would have seen, and writes it to w: control sequences are applied and not
// printed, a progress bar is what it showed last, a line that the terminal
// wrapped is one line, and every line but an unfinished last one ends with \n.
//
// What is written without moving the cursor comes out byte for byte, with
// \r\n as \n and without escape sequences and other controls: tabs stay tabs,
// trailing blanks and a missing last newline are kept. Malformed UTF-8 becomes
// U+FFFD. Blanks written over text erase it, and erased text at the end of a
// line is no trailing blank. As on a terminal, a bare \n goes down and keeps
// the column; for the output of a pipe write "\x1b[20h" (LNM) first.
//
// Lines that scroll off the top of the screen are written at once; those on
// the screen can still change and are held back until Settle or Close. What a
// program clears before it scrolls off is gone, as it is for the person. The
// alternate screen is dropped when it is left.
//
// The memory of a Plain depends on its size only: less than 2 MiB for
// 80x24. It is for one goroutine.
type Plain struct {
	w   io.Writer
	err error // the first error of w

	parser parser
	term   *Terminal // is told only what changes where text is
	flat   bool      // the main screen is what text says, and that of term is blank
	cr     bool      // flat: a carriage return came that has not been applied
	text   plainText

	moving bool   // the program moves about the screen
	clean  int    // rows scrolled up since a row was last changed other than at its end
	open   bool   // output ends inside a line
	out    []byte // output not yet written

	seed    maphash.Seed
	scratch []byte
}

// NewPlain returns a Plain for a terminal of cols x rows that writes to w.
// Sizes out of range are clamped to 1x1 and 1000x500.
func NewPlain(w io.Writer, cols, rows int) *Plain {
	p := &Plain{w: w, term: New(cols, rows, 0), flat: true, seed: maphash.MakeSeed()}
	p.term.history.leave = p.leave
	p.limit()
	p.text.reset()
	return p
}

// limit bounds the memory for characters with marks by the size of the screen.
func (p *Plain) limit() {
	p.term.clusters.max = min(3*p.term.cols*p.term.rows, int(cellText))
}

// Write takes output of the program, split anywhere. It takes all of b, and
// fails only if w did, now or before.
func (p *Plain) Write(b []byte) (int, error) {
	total := len(b)
	for len(b) > 0 {
		piece := b[:min(len(b), pieceSize)]
		b = b[len(piece):]
		p.take(piece)
		if p.flat {
			p.trim()
		}
		p.flush()
	}
	return total, p.err
}

// take applies input to the screen.
func (p *Plain) take(b []byte) {
	for len(b) > 0 {
		if p.flat && !p.cr && p.parser.idle() {
			b = b[p.takeText(b):]
			if len(b) == 0 {
				return
			}
		}
		b = b[p.parser.next(b, p):]
	}
}

// Close writes all that is still held: the rows of the main screen up to the
// last that holds text or was reached by it, and, if it is in use, those of
// the alternate screen after them. Nothing may be written afterwards.
func (p *Plain) Close() error {
	p.parser.flush(p)
	if p.flat {
		p.send(p.text.b[p.text.written:])
		p.text.reset()
		return p.err
	}
	p.emitPage(&p.term.main, p.goesOn())
	if p.term.page == &p.term.alt {
		p.emitPage(&p.term.alt, false)
	}
	p.flush()
	return p.err
}

// Resize changes the size of the terminal, and breaks lines anew that it had
// broken. Rows that no longer fit scroll off the top, after blank rows below
// the cursor are gone; in one column there is no room for wide characters. The
// scroll region becomes the whole screen.
func (p *Plain) Resize(cols, rows int) {
	for _, r := range p.term.main.rows {
		if r.settled > replaced {
			if r.settled == p.hash(r) {
				r.settled = kept
			} else {
				r.settled = replaced
			}
		}
	}
	p.term.Resize(cols, rows)
	p.limit()
	for _, r := range p.term.main.rows {
		if r.settled == kept {
			p.settle(r)
		}
	}
	p.clean = 0
	if p.flat {
		p.text.restart()
		p.trim()
	}
	p.flush()
}

// send writes b to w, unless w has failed before.
func (p *Plain) send(b []byte) {
	if len(b) > 0 && p.err == nil {
		_, p.err = p.w.Write(b)
	}
}

// flush writes the output that was gathered.
func (p *Plain) flush() {
	p.send(p.out)
	p.out = p.out[:0]
}
