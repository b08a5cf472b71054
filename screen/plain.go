// Package screen models a terminal: it turns the bytes that a program writes into a picture. A
// parser splits the bytes into text and control sequences. From these a Terminal makes the picture
// that a person sees and the answers that the program gets. A Plain makes the plain text that a
// person would have seen.
//
// Input is hostile: every count is clamped, memory is bounded by the size of the screen, and no
// input makes it panic.
package screen

import (
	"hash/maphash"
	"io"
)

// pieceSize is how much input Plain takes before it writes output, in bytes.
const pieceSize = 32 << 10

// Plain turns the output of a program for a terminal into the text that a person would have seen,
// and writes it to w. It applies control sequences and does not print them. A progress bar appears
// in its last state. A line that the terminal wrapped is one line. Every line ends with \n, except
// an unfinished last one.
//
// Text that the program writes without moving the cursor comes out byte for byte, with \r\n as \n,
// and without escape sequences and other controls. Tabs, trailing blanks and a missing last newline
// stay. Malformed UTF-8 becomes U+FFFD. Blanks written over text erase it, and erased text at the
// end of a line leaves no trailing blanks. As on a terminal, a bare \n moves down and keeps the
// column. For the output of a pipe, write "\x1b[20h" (LNM) first.
//
// Lines that scroll off the top of the screen are written at once. Lines on the screen can still
// change: Plain holds them back until Settle or Close. Text that a program clears before it scrolls
// off is lost, as it is for a person. The alternate screen is dropped when the program leaves it.
//
// The memory of a Plain depends only on its size: less than 2 MiB for 80x24. One goroutine uses it.
type Plain struct {
	w   io.Writer
	err error // the first error of w

	parser parser
	term   *Terminal // gets only the input that changes where text goes
	flat   bool      // text holds the main screen, and that of term is blank
	cr     bool      // flat: a carriage return came and is not applied yet
	text   plainText

	moving bool   // the program moves the cursor about the screen
	clean  int    // rows scrolled up since a row last changed other than at its end
	open   bool   // output ends inside a line
	out    []byte // output not yet written

	typed []uint32 // hashes of the rows of the cursor's line when GoOn was called

	seed    maphash.Seed
	scratch []byte
}

// NewPlain returns a Plain that writes to w, for a terminal of cols x rows. Sizes out of range are
// clamped to 1x1 and 1000x500.
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

// Write takes output of the program, split anywhere. It takes all of b, and returns the first error
// of w.
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

// Close writes all held text. It writes the rows of the main screen up to the last with text, or to
// the last that the cursor has reached. If the alternate screen is in use, its rows follow, without the
// blanks at their ends. Nothing may be written afterwards.
func (p *Plain) Close() error {
	p.parser.flush(p)
	if p.flat {
		p.send(p.text.b[p.text.written:])
		p.text.reset()
		return p.err
	}
	p.emitPage(&p.term.main, p.goesOn())
	if p.term.page == &p.term.alt {
		for _, r := range p.term.alt.rows {
			r.wiped = true // the program paints there: blanks at the end of a row are no text
		}
		p.emitPage(&p.term.alt, false)
	}
	p.flush()
	return p.err
}

// Resize changes the size of the terminal, and breaks wrapped lines anew. If the screen becomes
// lower, it first loses blank rows below the cursor. Then rows scroll off the top. In one column
// there is no room for wide characters. The scroll region becomes the whole screen.
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

// flush writes the gathered output.
func (p *Plain) flush() {
	p.send(p.out)
	p.out = p.out[:0]
}
