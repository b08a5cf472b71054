package screen

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of what a program can store in the terminal, in bytes.
const (
	maxTitle    = 1024
	maxCwd      = 3 * 4096 // PATH_MAX, every byte escaped
	maxURI      = 2083
	maxTitles   = 10 // on the stack
	maxRowMarks = 8  // in one row
)

// osc implements handler.
func (t *Terminal) osc(data []byte, bell bool) {
	t.joining = false
	command, text, _ := bytes.Cut(data, []byte(";"))
	n, err := strconv.ParseUint(string(command), 10, 16)
	if err != nil {
		return
	}
	switch n {
	case 0:
		setTitle(&t.title, text)
		t.icon = t.title
	case 1:
		setTitle(&t.icon, text)
	case 2:
		setTitle(&t.title, text)
	case 4:
		t.paletteEntries(string(text), bell)
	case 7:
		if len(text) <= maxCwd {
			t.cwd = clean(string(text))
		}
	case 8:
		t.hyperlink(string(text))
	case 10, 11, 12:
		t.namedColors(int(n), string(text), bell)
	case 52:
		t.copyToClipboard(text)
	case 104:
		t.resetEntries(string(text))
	case 110, 111, 112:
		*t.palette.named(int(n) - 100) = 0
	case 133:
		t.shellMark(string(text))
	}
}

func setTitle(title *string, text []byte) {
	if *title != string(text) {
		*title = titleText(text)
	}
}

func titleText(text []byte) string { return clean(string(text[:min(len(text), maxTitle)])) }

// clean leaves out malformed UTF-8 and controls. Controls do harm where the text is shown later.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// copyToClipboard is OSC 52. The terminal keeps text that a program copies, but never returns it: another
// program may have copied a secret.
func (t *Terminal) copyToClipboard(text []byte) {
	_, encoded, ok := bytes.Cut(text, []byte(";"))
	if !ok || string(encoded) == "?" {
		return
	}
	if plain, err := base64.StdEncoding.DecodeString(string(encoded)); err == nil && utf8.Valid(plain) {
		t.clipboard = string(plain)
	}
}

// hyperlink is OSC 8. Of its parameters only id is known. An empty URI ends the link.
func (t *Terminal) hyperlink(text string) {
	params, uri, ok := strings.Cut(text, ";")
	if !ok || len(uri) > maxURI {
		return
	}
	link := Link{URI: clean(uri)}
	for p := range strings.SplitSeq(params, ":") {
		if id, ok := strings.CutPrefix(p, "id="); ok && uri != "" && len(id) <= maxTitle {
			link.ID = clean(id)
		}
	}
	if t.links.crowded() {
		t.sweep()
	}
	t.style.link, _ = t.links.number(link)
	t.updatePen()
}

// shellMark is OSC 133: a letter, and the exit code after D.
func (t *Terminal) shellMark(text string) {
	kind, rest, _ := strings.Cut(text, ";")
	if len(kind) != 1 || kind[0] < 'A' || kind[0] > 'D' {
		return
	}
	m := Mark{Col: t.col, Kind: kind[0], ExitCode: -1}
	code, _, _ := strings.Cut(rest, ";")
	if n, err := strconv.ParseUint(code, 10, 31); err == nil && m.Kind == 'D' {
		m.ExitCode = int(n)
	}
	r := t.line()
	kept := slices.DeleteFunc(slices.Clone(r.marks), func(old Mark) bool { return old.Kind == m.Kind && old.Col == m.Col })
	if len(kept) < maxRowMarks {
		r.marks = append(kept, m)
	}
}

// named returns the colour that OSC 10, 11 or 12 sets.
func (p *Palette) named(osc int) *Color {
	return [...]*Color{&p.Foreground, &p.Background, &p.Cursor}[osc-10]
}

// namedColors is OSC 10, 11 and 12. Each further text sets the next colour.
func (t *Terminal) namedColors(n int, text string, bell bool) {
	for spec := range strings.SplitSeq(text, ";") {
		if n > 12 {
			return
		}
		if spec == "?" {
			t.colorReply(strconv.Itoa(n), t.palette.current(n), bell)
		} else if c, ok := parseColor(spec); ok {
			*t.palette.named(n) = c
		}
		n++
	}
}

// current returns the visible colour that OSC n asks for.
func (p Palette) current(n int) Color {
	switch {
	case n == 11:
		return p.resolve(0, p.Background, DefaultBackground)
	case n == 12 && !p.Cursor.IsDefault():
		return p.Cursor
	}
	return p.resolve(0, p.Foreground, DefaultForeground)
}

// paletteEntries is OSC 4: pairs of an index and a colour, or "?".
func (t *Terminal) paletteEntries(text string, bell bool) {
	fields := strings.Split(text, ";")
	cloned := false
	for i := 0; i+1 < len(fields); i += 2 {
		index, err := strconv.ParseUint(fields[i], 10, 8)
		if err != nil {
			continue
		}
		if fields[i+1] == "?" {
			t.colorReply("4;"+fields[i], t.palette.Entry(uint8(index)), bell)
			continue
		}
		c, ok := parseColor(fields[i+1])
		if !ok {
			continue
		}
		if !cloned { // snapshots share the old map
			t.palette.entries, cloned = maps.Clone(t.palette.entries), true
			if t.palette.entries == nil {
				t.palette.entries = map[uint8]Color{}
			}
		}
		t.palette.entries[uint8(index)] = c
		if c == (Palette{}).Entry(uint8(index)) {
			delete(t.palette.entries, uint8(index))
		}
	}
}

// resetEntries is OSC 104. It resets the given entries, or all.
func (t *Terminal) resetEntries(text string) {
	if text == "" {
		t.palette.entries = nil
		return
	}
	entries := maps.Clone(t.palette.entries)
	for field := range strings.SplitSeq(text, ";") {
		if index, err := strconv.ParseUint(field, 10, 8); err == nil {
			delete(entries, uint8(index))
		}
	}
	t.palette.entries = entries
}

// parseColor reads a colour as XParseColor does (X11): rgb:r/g/b with one to four digits each, or #
// and three numbers of equal length.
func parseColor(text string) (Color, bool) {
	var parts []string
	legacy := false
	if rest, ok := strings.CutPrefix(text, "rgb:"); ok {
		parts = strings.Split(rest, "/")
	} else if rest, ok := strings.CutPrefix(text, "#"); ok && len(rest)%3 == 0 && rest != "" {
		n := len(rest) / 3
		parts, legacy = []string{rest[:n], rest[n : 2*n], rest[2*n:]}, true
	}
	if len(parts) != 3 {
		return 0, false
	}
	var v [3]uint8
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 16, 16)
		if err != nil || len(p) > 4 {
			return 0, false
		}
		switch most := uint64(1)<<(4*len(p)) - 1; {
		case legacy && len(p) == 1: // these are the high bits
			v[i] = uint8(n << 4)
		case legacy:
			v[i] = uint8(n >> (4*len(p) - 8))
		default:
			v[i] = uint8((n*255 + most/2) / most)
		}
	}
	return RGB(v[0], v[1], v[2]), true
}

// colorReply answers a query for a colour, with the same terminator as the query.
func (t *Terminal) colorReply(what string, c Color, bell bool) {
	end := "\x1b\\"
	if bell {
		end = "\a"
	}
	r, g, b, _ := c.RGB()
	t.reply("\x1b]%s;rgb:%02x%02x/%02x%02x/%02x%02x%s", what, r, r, g, g, b, b, end)
}

// reply sends an answer to the program.
func (t *Terminal) reply(format string, args ...any) {
	if t.onReply != nil {
		t.onReply(fmt.Appendf(nil, format, args...))
	}
}
