package screen

// A Window is the part of a screen that another terminal has room for.
type Window struct{ Left, Top, Cols, Rows int }

// Window returns the part of s that a terminal of the size shows: from the top
// left, unless the cursor would not be in it.
func (s *Snapshot) Window(cols, rows int) Window {
	from := func(at, room, most int) int { return min(max(at-room+1, 0), max(most-room, 0)) }
	return Window{from(s.Cursor.Col, cols, s.Cols), from(s.Cursor.Row, rows, s.Rows), cols, rows}
}

// Paint returns output that draws the window's rows, of which the first is 0, on
// a terminal of its size, and then puts the cursor where it is. Only the changed
// ones are drawn. The pen is the default one before and after; s has all rows of
// the screen.
func (s *Snapshot) Paint(in Window, changed func(row int) bool) []byte {
	w := &redraw{cols: in.Cols, left: in.Left, top: in.Top}
	w.put("\x1b[?2026h\x1b[?25l\x1b[?5%c", "lh"[btoi(s.Modes.ReverseVideo)])
	for row := range in.Rows {
		if !changed(row) {
			continue
		}
		w.plain()
		w.move(in.Left, in.Top+row)
		w.put("\x1b[2K")
		if i := in.Top + row; i < len(s.Lines) {
			w.part(s, s.Lines[i].cells, in)
		}
	}
	w.plain()
	at := s.Cursor
	if col, row := at.Col-in.Left, at.Row-in.Top; col >= 0 && row >= 0 && col < in.Cols && row < in.Rows {
		w.move(at.Col, at.Row)
		if at.Visible {
			w.put("\x1b[?25h")
		}
	}
	shape := int(at.Shape)*2 + 2 - btoi(at.Blinking)
	if shape == 1 {
		shape = 0 // the default here, and there what the person likes
	}
	w.put("\x1b[%d q\x1b[?2026l", shape)
	return w.out
}

// part writes the columns of the window. Of a wide character that crosses its
// border there is nothing to see.
func (w *redraw) part(s *Snapshot, cells []cell, in Window) {
	from, to := in.Left, min(in.Left+in.Cols, len(cells))
	if from < to && cells[from]&cellTail != 0 {
		w.put(" ")
		from++
	}
	cut := from < to && cells[to-1]&cellWide != 0
	w.cells(s, cells, from, to-btoi(cut))
}

// Switch returns output that makes a terminal which reports keys, pastes, focus
// and the mouse as m has it do so as another has it.
func (m Modes) Switch(to Modes) []byte {
	w := &redraw{}
	for _, mode := range []struct {
		n       int
		was, is bool
	}{
		{1, m.ApplicationCursor, to.ApplicationCursor},
		{66, m.ApplicationKeypad, to.ApplicationKeypad},
		{1004, m.Focus, to.Focus},
		{2004, m.BracketedPaste, to.BracketedPaste},
	} {
		if mode.was != mode.is {
			w.put("\x1b[?%d%c", mode.n, "lh"[btoi(mode.is)])
		}
	}
	if m.Mouse != to.Mouse && m.Mouse != NoMouse {
		w.put("\x1b[?%dl", m.Mouse)
	}
	if n := mouseEncodings[m.MouseEncoding]; m.MouseEncoding != to.MouseEncoding && n != 0 {
		w.put("\x1b[?%dl", n)
	}
	if m.OtherKeys != 0 && to.OtherKeys == 0 {
		w.put("\x1b[>4m")
	}
	w.input(to)
	if m.Keyboard != to.Keyboard {
		w.put("\x1b[=%du", to.Keyboard)
	}
	return w.out
}
