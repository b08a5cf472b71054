package screen

import (
	"slices"
	"strconv"
)

// Leave works as Reset, and moves the cursor to the first row below the text. If there is none, the
// text scrolls up by a row.
func (t *Terminal) Leave() []byte {
	w := &redraw{cols: t.cols}
	w.initial(t)
	last := t.rows - 1
	for last >= 0 && t.main.rows[last].empty() {
		last--
	}
	switch {
	case last == t.rows-1:
		w.put("\x1b[%d;1H\n", t.rows)
	default:
		w.move(0, last+1)
	}
	return w.out
}

// Reset returns output that undoes every lasting change, on a terminal that got the same input as t:
// the alternate screen, margins, modes, the pen, character sets, mouse and focus reports, keyboard
// protocols, colours, and titles that are saved on the stack: the lowest is in force again. Text
// stays, and so does a title that was not saved before. Reset resets modes even if t does not know
// that they are set.
func (t *Terminal) Reset() []byte {
	w := &redraw{cols: t.cols}
	w.initial(t)
	return w.out
}

// initial undoes the lasting changes of t.
func (w *redraw) initial(t *Terminal) {
	if !t.parser.idle() {
		w.put("\x18\x1b\\") // CAN ends a sequence, ST a string
	}
	w.put("\x1b[?2026l")
	if n := t.keyboard[1].n; n > 0 && t.page == &t.alt {
		w.put("\x1b[<%du", n)
	}
	if t.page == &t.alt {
		w.put("\x1b[?1049l")
	}
	if n := t.keyboard[0].n; n > 0 {
		w.put("\x1b[<%du", n)
	}
	for _, n := range []int{1, 6, 9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004} {
		w.put("\x1b[?%dl", n)
	}
	for _, n := range []int{5, 45, 66, 69, 1045, 2027} {
		if t.modes&decMode(n) != 0 {
			w.put("\x1b[?%dl", n)
		}
	}
	w.put("\x1b[?7h\x1b[?25h\x1b[4l\x1b[20l\x1b>\x1b[r")
	if t.otherKeys != 0 {
		w.put("\x1b[>4m")
	}
	if shape, _ := t.setting(" q"); shape != "1 q" {
		w.put("\x1b[0 q")
	}
	w.reset(&t.cursor)
	if t.page == &t.alt { // 1049 restored the cursor of the main screen
		w.reset(&t.main.saved)
	}
	if !slices.Equal(t.tabs, defaultTabs(len(t.tabs))) {
		w.put("\x1b[3g")
		for col := 8; col < t.cols; col += 8 {
			w.put("\x1b[%dG\x1bH", col+1)
		}
	}
	if len(t.palette.entries) > 0 {
		w.put("\x1b]104\x1b\\")
	}
	for n, c := range []Color{t.palette.Foreground, t.palette.Background, t.palette.Cursor} {
		if !c.IsDefault() {
			w.put("\x1b]%s\x1b\\", strconv.Itoa(110+n))
		}
	}
	for range t.titles {
		w.put("\x1b[23;0t")
	}
}
