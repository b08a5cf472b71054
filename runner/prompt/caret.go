package prompt

import (
	"slices"
	"strings"

	"devtools/screen"
)

// A Caret is the cell of a picture where the next character goes, as a program shows it that hides the cursor.
type Caret struct{ Row, Col int }

// fullBlock is drawn in the cell of the caret by libraries that do not reverse the cell (promptui, clack).
const fullBlock = "█"

// A place is where the next character goes: the cursor of the terminal, or a caret.
type place struct {
	row, col int  // in the rows of the picture; one past the last column if the next character goes to the next row
	visible  bool // the cursor or the caret is shown
	drawn    bool // it is a caret
}

// placeIn returns where the next character goes. blink is the caret, if the program is known to blink it. A caret in the
// rows before since belongs to a question that was answered (promptui leaves it there).
func placeIn(p *screen.Snapshot, blink *Caret, since int) place {
	at := place{row: p.Cursor.Row - p.First, col: p.Cursor.Col, visible: p.Cursor.Visible}
	if p.Cursor.Pending {
		at.col++
	}
	if at.visible {
		return at
	}
	if blink != nil && blink.Row < len(p.Lines) {
		return place{row: blink.Row, col: blink.Col, visible: true, drawn: true}
	}
	if p.Modes.Alternate {
		since = p.First
	}
	for row := len(p.Lines) - 1; row >= max(since-p.First, 0); row-- {
		if col, found := caretIn(p, row); found == 1 {
			return place{row: row, col: col, visible: true, drawn: true}
		} else if found > 1 {
			return at
		}
	}
	return at
}

// caretIn returns the column of the caret in a row, and how many cells look like one. A caret is a single reversed cell,
// or a single block.
func caretIn(p *screen.Snapshot, row int) (col, found int) {
	run, last := 0, screen.Cell{} // filled cells side by side, and the last of them
	end := func() {
		if run == 1 && (last.Text == fullBlock || !strings.ContainsFunc(last.Text, block)) {
			col, found = last.Col, found+1
		}
		run = 0
	}
	for c := range p.Cells(row) {
		if !c.Style.Has(screen.Reverse) && !strings.ContainsFunc(c.Text, block) {
			end()
			continue
		}
		run, last = run+1, c
	}
	end()
	return col, found
}

// block reports whether c fills a cell, or a part of it. Bars are drawn with these.
func block(c rune) bool { return c >= 0x2580 && c < 0x25a0 }

// shows returns the text of a cell as a person reads it: a caret and what it hides is blank.
func (at place) shows(row int, c screen.Cell) string {
	if c.Text == "" || at.drawn && row == at.row && c.Col == at.col && (c.Text == fullBlock || c.Style.Has(screen.Hidden)) {
		return " "
	}
	return c.Text
}

// grey reports whether a style is that of a placeholder: dim, or grey.
func grey(s screen.Style) bool {
	if s.Has(screen.Dim) {
		return true
	}
	if i, ok := s.Foreground.Index(); ok {
		cube := i - 16 // the colours from 16 on are a cube of 6 x 6 x 6, and then 24 shades of grey
		return i == 7 || i == 8 || i >= 232 && i < 248 || cube > 0 && cube < 4*43 && cube%43 == 0
	}
	r, g, b, ok := s.Foreground.RGB()
	return ok && max(r, g, b)-min(r, g, b) < 24 && max(r, g, b) < 180
}

// Alike reports whether two pictures look the same.
func Alike(a, b *screen.Snapshot) bool {
	return framed(a, b) && slices.Equal(a.RowHashes(), b.RowHashes())
}

// framed reports whether two pictures are the same but for their rows.
func framed(a, b *screen.Snapshot) bool {
	return a.Cols == b.Cols && a.First == b.First && len(a.Lines) == len(b.Lines) && a.Title == b.Title && a.Cursor.Visible == b.Cursor.Visible &&
		Shot{Picture: a}.modes() == Shot{Picture: b}.modes()
}

// Blinks returns the caret in which two pictures differ, if they differ in nothing else: in one of them a cell is
// reversed, has another background, or has a bar. Blinks returns nil if the terminal shows its cursor.
func Blinks(a, b *screen.Snapshot) *Caret {
	if !framed(a, b) || a.Cursor.Visible {
		return nil
	}
	ours, theirs := a.RowHashes(), b.RowHashes()
	row := -1
	for i := range ours {
		if ours[i] != theirs[i] {
			if row >= 0 {
				return nil
			}
			row = i
		}
	}
	if row < 0 {
		return nil
	}
	col := -1
	before, after := cellsOf(a, row), cellsOf(b, row)
	for c := range a.Cols {
		if before[c] == after[c] {
			continue
		}
		if col >= 0 || !caretCell(before[c], after[c]) {
			return nil
		}
		col = c
	}
	if col < 0 {
		return nil
	}
	return &Caret{row, col}
}

// cellsOf returns the cells of a row by column. A cell to which no program wrote is blank.
func cellsOf(p *screen.Snapshot, row int) []screen.Cell {
	cells := make([]screen.Cell, p.Cols)
	for col := range cells {
		cells[col] = screen.Cell{Col: col, Width: 1, Text: " "}
	}
	for c := range p.Cells(row) {
		if c.Text == "" {
			c.Text = " "
		}
		if c.Col < len(cells) {
			cells[c.Col] = c
		}
	}
	return cells
}

// caretCell reports whether a cell with and without a caret may look so.
func caretCell(a, b screen.Cell) bool {
	if a.Text == b.Text {
		return a.Style.Has(screen.Reverse) != b.Style.Has(screen.Reverse) || a.Style.Background != b.Style.Background
	}
	const bars = "█▌▏▎|│_▁"
	return b.Text == " " && strings.Contains(bars, a.Text) || a.Text == " " && strings.Contains(bars, b.Text)
}
