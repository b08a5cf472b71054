// Package screen is what a terminal makes of the bytes that a program writes to
// it. A parser takes them apart into text and control sequences; Plain makes
// of these the plain text that a person would have seen, a QueryScanner finds
// the questions that the program puts to its terminal.
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

	parser     parser
	cols, rows int

	flat bool // the screen is what text says; otherwise what scr says
	cr   bool // flat: a carriage return came that has not been applied
	text plainText

	scr   *plainScreen // main or alt
	main  *plainScreen
	alt   *plainScreen
	clean int    // rows scrolled up since a row was last changed other than at its end
	open  bool   // output ends inside a line that row 0 of main goes on with
	out   []byte // output not yet written

	lnm, noWrap, insert, origin bool
	moving                      bool    // the program moves about the screen
	graphics                    [2]bool // G0, G1 hold DEC special graphics
	shift                       int     // which of them is in use
	tabs                        []bool  // tab stops, nil for every eighth column
	last                        rune    // what REP repeats, 0 for nothing

	seed    maphash.Seed
	scratch []byte
}

// NewPlain returns a Plain for a terminal of cols x rows that writes to w.
// Sizes out of range are clamped to 1x1 and 1000x500.
func NewPlain(w io.Writer, cols, rows int) *Plain {
	p := &Plain{w: w, flat: true, seed: maphash.MakeSeed()}
	p.cols, p.rows = clampSize(cols, rows)
	p.text.reset()
	return p
}

func clampSize(cols, rows int) (int, int) {
	return min(max(cols, 1), MaxCols), min(max(rows, 1), MaxRows)
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
	p.emitScreen(p.main)
	if p.scr == p.alt {
		p.emitScreen(p.alt)
	}
	p.flush()
	p.main.clear()
	p.scr = p.main
	return p.err
}

// Cursor returns where the cursor is, counted from 0 at the top left, or in
// origin mode from the top of the scroll region, as a cursor position report
// says (CPR, ECMA-48 8.3.14) but for its counting from 1. A cursor that waits
// behind the last column is in the last column.
func (p *Plain) Cursor() (col, row int) {
	if p.flat {
		p.text.layOut(p.cols, p.rows)
		if !p.cr {
			col = p.text.col
		}
		return min(col, p.cols-1), min(len(p.text.starts), p.rows) - 1
	}
	row = p.scr.row
	if p.origin {
		row -= p.scr.top
	}
	return min(p.scr.col, p.cols-1), row
}

// Resize changes the size of the terminal. Rows that no longer fit scroll off
// the top, after blank rows below the cursor are gone; text behind the last
// column is not lost. The scroll region becomes the whole screen.
func (p *Plain) Resize(cols, rows int) {
	cols, rows = clampSize(cols, rows)
	if cols == p.cols && rows == p.rows {
		return
	}
	p.cols, p.rows = cols, rows
	if p.flat {
		p.text.restart()
		p.trim()
	} else {
		p.clean = 0
		p.resize(p.main, true)
		if p.alt != nil {
			p.resize(p.alt, false)
		}
		if p.tabs != nil {
			p.tabs = append(p.tabs, defaultTabs(cols)[min(len(p.tabs), cols):]...)
		}
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
