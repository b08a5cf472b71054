package screen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Redraw returns output that gives another terminal of the same size the picture and the state of t:
// rows, cursor, pen, margins, tab stops, character sets, modes, titles and colours. The other
// terminal must be in the state that Leave leaves. The scrollback of both stays as it is. unread is
// the number of bytes at the end of t's input that are an incomplete character or sequence. The
// other terminal needs these bytes again before the next input.
func (t *Terminal) Redraw() (output []byte, unread int) {
	w := &redraw{cols: t.cols}
	w.put("\x1b[?2026h")
	if t.level != 2 {
		w.put(`%s%d;1"p`, csi, 60+t.level)
	}
	for _, old := range t.titles {
		w.title(old.title, old.icon)
		w.put("\x1b[22;0;0t")
	}
	w.title(t.title, t.icon)
	if t.cwd != "" {
		w.put("\x1b]7;%s\x1b\\", t.cwd)
	}
	w.palette(t.palette)
	w.page(t, &t.main, View{Last: MaxRows, Other: t.page == &t.alt})
	w.keyboard(&t.keyboard[0])
	if t.page == &t.alt {
		if t.main.saved.kept {
			w.put("\x1b8\x1b[?1049h\x1b[?6l") // 1049 saves the cursor once more
			w.reset(&t.main.saved)
		} else {
			w.put("\x1b[?1047h")
		}
		w.page(t, &t.alt, View{Last: MaxRows})
		w.keyboard(&t.keyboard[1])
	}
	w.tabs(t.tabs)
	w.cursor(t)
	w.modes(t)
	if t.frame.before == nil {
		w.put("\x1b[?2026l")
	}
	w.last(t)
	if t.charsets.single > 0 {
		w.put("\x1b%c", 'N'+t.charsets.single-2)
	}
	if p := &t.parser; p.acted && p.state != ground {
		return append(w.out, p.begun()...), 0
	}
	return w.out, t.parser.unread
}

const csi = "\x1b["

// A redraw is the output so far for another terminal. style and link are those of its pen.
type redraw struct {
	out   []byte
	cols  int
	style Style
	link  Link

	left, top int // the column and row of its origin
}

func (w *redraw) put(format string, args ...any) { w.out = fmt.Appendf(w.out, format, args...) }

// move puts the cursor at a column and row.
func (w *redraw) move(col, row int) { w.put("\x1b[%d;%dH", row-w.top+1, col-w.left+1) }

// pen changes the style for the next text. link is the link of the style.
func (w *redraw) pen(style Style, link Link) {
	if link != w.link {
		id := ""
		if link.ID != "" {
			id = "id=" + strings.NewReplacer(":", "%3A", ";", "%3B").Replace(link.ID)
		}
		w.put("\x1b]8;%s;%s\x1b\\", id, link.URI)
		w.link = link
	}
	if style.Has(Protected) != w.style.Has(Protected) {
		w.put(`%s%d"q`, csi, btoi(style.Has(Protected)))
	}
	if changes := w.style.Changes(style); len(changes) > 0 {
		w.put("\x1b[%sm", strings.Join(changes, ";"))
	}
	w.style = style
}

// plain makes the pen the default one.
func (w *redraw) plain() { w.pen(Style{}, Link{}) }

func (w *redraw) title(title, icon string) {
	if title != "" {
		w.put("\x1b]2;%s\x1b\\", title)
	}
	if icon != "" {
		w.put("\x1b]1;%s\x1b\\", icon)
	}
}

// palette sets the colours that the program has set.
func (w *redraw) palette(p Palette) {
	for _, i := range slices.Sorted(maps.Keys(p.entries)) {
		w.put("\x1b]4;%d;%s\x1b\\", i, colorSpec(p.entries[i]))
	}
	for n, c := range []Color{p.Foreground, p.Background, p.Cursor} {
		if !c.IsDefault() {
			w.put("\x1b]%d;%s\x1b\\", 10+n, colorSpec(c))
		}
	}
}

// colorSpec returns an RGB colour as XParseColor reads it.
func colorSpec(c Color) string {
	r, g, b, _ := c.RGB()
	return fmt.Sprintf("rgb:%02x/%02x/%02x", r, g, b)
}

// page draws one of the two screens of t, and saves the cursor that t has saved there. Margins,
// modes and character sets still have their initial state.
func (w *redraw) page(t *Terminal, p *page, v View) {
	v.Unfinished = true
	s := t.Snapshot(v)
	w.put("\x1b[2H\x1b[J\x1b[H\x1b[K") // in two steps: tmux puts a screen that is erased from the top into its scrollback
	w.rows(s)
	if at := &p.saved; at.kept {
		if at.origin {
			w.put("\x1b[?6h")
		}
		w.place(s, at.col, at.row, at.pending)
		w.pen(at.style, t.links.at(at.style.link))
		w.charsets(&at.charsets)
		w.put("\x1b7")
		if at.origin {
			w.put("\x1b[?6l")
		}
		w.reset(at)
	}
}

// reset gives the pen and the character sets of a cursor their initial state. It sends sequences
// that a terminal may not know only where the cursor used them.
func (w *redraw) reset(at *cursor) {
	w.put("\x1b[m\x1b(B\x1b)B\x0f")
	for i, set := range at.charsets.set {
		if i > 1 && set != 0 && set != 'B' {
			w.put("\x1b%cB", "()*+"[i])
		}
	}
	if at.style.Has(Protected) {
		w.put(`%s0"q`, csi)
	}
	if at.style.link != 0 {
		w.put("\x1b]8;;\x1b\\")
	}
	w.style, w.link = Style{}, Link{}
}

func (w *redraw) charsets(c *charsets) {
	for i, set := range c.set {
		if set != 0 && set != 'B' {
			w.put("\x1b%c%c", "()*+"[i], set)
		}
	}
	w.put("%s", [...]string{"", "\x0e", "\x1bn", "\x1bo"}[c.gl])
}

func (w *redraw) keyboard(k *keyboard) {
	for _, flags := range k.stack[:k.n] {
		w.put("\x1b[>%du", flags)
	}
}

// tabs sets the tab stops if they are not the default ones.
func (w *redraw) tabs(tabs []bool) {
	if slices.Equal(tabs, defaultTabs(len(tabs))) {
		return
	}
	w.put("\x1b[3g")
	for col, set := range tabs[:min(len(tabs), w.cols)] {
		if set {
			w.put("\x1b[%dG\x1bH", col+1)
		}
	}
}

// cursor sets the margins and the state of the cursor.
func (w *redraw) cursor(t *Terminal) {
	if t.modes&modeMargins != 0 {
		w.put("\x1b[?69h\x1b[%d;%ds", t.left+1, t.right+1)
	}
	if t.top > 0 || t.bottom < t.rows-1 {
		w.put("\x1b[%d;%dr", t.top+1, t.bottom+1)
	}
	if t.origin {
		w.put("\x1b[?6h")
	}
	s := t.Snapshot(View{Last: MaxRows, Unfinished: true})
	w.left, w.top = 0, 0
	if t.origin {
		w.left, w.top = t.left, t.top
	}
	w.place(s, t.col, t.row, t.pending)
	w.pen(t.style, t.links.at(t.style.link))
	w.charsets(&t.charsets)
}

// last writes the last character once more if the next input may refer to it: REP repeats it, and a
// mark joins it.
func (w *redraw) last(t *Terminal) {
	if t.last == 0 && !t.joining || t.modes&modeInsert != 0 {
		return
	}
	at, cells := t.col-btoi(!t.pending), t.line().cells
	if at > 0 && cells[at]&cellTail != 0 {
		at--
	}
	if at < 0 || !cells[at].written() || cells[at].styled() != t.pen {
		return
	}
	text, sets := cellString(cells[at], t.clusters.list), t.charsets
	if c := text[0]; c < 0x80 && sets.character(c) != rune(c) {
		return // the character came from another character set
	}
	w.move(at, t.row)
	w.put("%s", text)
}

// modes sets the modes that are not in their initial state.
func (w *redraw) modes(t *Terminal) {
	const elsewhere = mode132 | modeMargins | modeSynchronized | modeBlink // modes that another method sets, or that do harm
	const first = modeWrap | modeVisible
	set := func(n int, m, to modeSet) {
		w.put("\x1b[?%d%c", n, "lh"[btoi(to&m != 0)])
	}
	for _, known := range decModes {
		n, m := known.number, known.mode
		if m&elsewhere != 0 {
			continue
		}
		saved := t.savedModes[0]&m != 0
		if saved {
			set(n, m, t.savedModes[1])
			w.put("\x1b[?%ds", n)
		}
		if saved || (t.modes^first)&m != 0 {
			set(n, m, t.modes)
		}
	}
	for _, known := range ansiModes {
		if t.modes&known.mode != 0 {
			w.put("\x1b[%dh", known.number)
		}
	}
	w.input(t.exported())
	if shape, _ := t.setting(" q"); shape != "1 q" { // block is the default here; a person may have chosen another default there
		w.put("\x1b[%s", shape)
	}
}

// mouseEncoding returns the mode of a Modes.MouseEncoding, 0 for none.
func mouseEncoding(name string) int {
	switch name {
	case "utf8":
		return 1005
	case "sgr":
		return 1006
	case "urxvt":
		return 1015
	case "sgr-pixels":
		return 1016
	}
	return 0
}

// input sets the modes for the reports of keys and mouse that are not in a modeSet.
func (w *redraw) input(m Modes) {
	if m.Mouse != NoMouse {
		w.put("\x1b[?%dh", m.Mouse)
	}
	if n := mouseEncoding(m.MouseEncoding); n != 0 {
		w.put("\x1b[?%dh", n)
	}
	if m.OtherKeys != 0 {
		w.put("\x1b[>4;%dm", m.OtherKeys)
	}
}
