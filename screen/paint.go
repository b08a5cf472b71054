package screen

// A Window is the part of a screen that fits on another terminal.
type Window struct{ Left, Top, Cols, Rows int }

// Window returns the part of s that a terminal of this size shows. It starts at the top left, unless
// the cursor would be outside.
func (s *Snapshot) Window(cols, rows int) Window {
	from := func(at, room, most int) int { return min(max(at-room+1, 0), max(most-room, 0)) }
	return Window{from(s.Cursor.Col, cols, s.Cols), from(s.Cursor.Row, rows, s.Rows), cols, rows}
}

// Paint returns output that draws rows of the window, and then puts the cursor in its place. Row 0
// is the first row of the window, and only changed rows are drawn. The other terminal has the size
// of the window. Its pen is the default one before and after. s must have all rows of the screen.
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
		shape = 0 // block is the default here; 0 is the default that a person has chosen there
	}
	w.put("\x1b[%d q\x1b[?2026l", shape)
	return w.out
}

// part writes the columns of the window. It leaves out a wide character that crosses the border.
func (w *redraw) part(s *Snapshot, cells []cell, in Window) {
	from, to := in.Left, min(in.Left+in.Cols, len(cells))
	if from < to && cells[from]&cellTail != 0 {
		w.put(" ")
		from++
	}
	cut := from < to && cells[to-1]&cellWide != 0
	w.cells(s, cells, from, to-btoi(cut))
}

// Switch returns output that changes how a terminal reports keys, pastes, focus and the mouse, from
// the modes m to the modes to.
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
	if n := mouseEncoding(m.MouseEncoding); m.MouseEncoding != to.MouseEncoding && n != 0 {
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
