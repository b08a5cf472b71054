package hold

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"devtools/screen"
)

const (
	// maxTypedLine is how much text of one line is kept until the picture shows it, in bytes.
	maxTypedLine = 4 << 10

	// maxTypedOver is how many ended lines wait for the picture.
	maxTypedOver = 8

	// typedPatience is how long an ended line waits for the picture, and how long text must rest that no Enter has ended. For as
	// long, a single character must stand: phones and some prompts show the last character of a password for up to 1.5 s.
	typedPatience = 2 * time.Second

	// most bytes of the keys and least characters of the text with which a program has the keys as a command and shows the text:
	// 3cwtext in vim.
	mostCommand, leastText = 3, 3
)

// typing finds out which of the input that the terminal did not echo was shown by the program. That input may be a secret. So
// what is judged is no key but the whole line: a mask may show the last character for a moment. The text of a line is kept in
// memory alone, and is noted if the picture has shown all of it at one moment, where the cursor was when the line began. The
// goroutine of the screen feed owns it.
type typing struct {
	note func(shownText) // takes a text that was shown

	part  []byte // beginning of a character
	paste bool
	line  *typedLine   // it is being typed; nil for none
	over  []*typedLine // they have ended, and the picture has not shown them yet
}

// A shownText is text that was typed without an echo, and that the program has shown.
type shownText struct {
	text        string
	first, last time.Time // of the input that it was in
	by          string    // who has typed it
}

// A typedLine is text that was typed without a key between that could change the line.
type typedLine struct {
	text        []byte
	first, last time.Time // of the input of its text, with Enter
	by          string    // who has typed its first key
	enter       bool      // Enter has ended it
	rested      bool      // it was looked at after a rest; from then on only output changes anything

	at        place
	adrift    bool        // at is not known yet: the echo of a line before it has not come
	cursor    bool        // the cursor was visible at this place
	alternate bool        // it is on the alternate screen
	before    rowsPicture // when it began
}

// rowsOf returns the rows of a view of the main or the alternate screen. ok is false for an alternate screen that the program has
// left.
func (p *screenFeed) rowsOf(alternate bool, view screen.View) (rows rowsPicture, ok bool) {
	if view.Other = alternate != p.terminal.Modes().Alternate; view.Other && alternate {
		return rowsPicture{}, false
	}
	s := p.terminal.Snapshot(view)
	return rowsPicture{s, p.terminal.Scrolled() + s.First}, true
}

// cursorPlace returns the cell after what was printed last, and whether the cursor shows it.
func (p *screenFeed) cursorPlace(s *screen.Snapshot) (place, bool) {
	at := place{p.terminal.Scrolled() + s.Cursor.Row, s.Cursor.Col}
	if s.Cursor.Pending {
		at.col++
	}
	return at, s.Cursor.Visible
}

// beginLine returns a line that begins at the cursor.
func (p *screenFeed) beginLine() *typedLine {
	alternate := p.terminal.Modes().Alternate
	line := &typedLine{alternate: alternate}
	line.before, _ = p.rowsOf(alternate, screen.Visible())
	line.at, line.cursor = p.cursorPlace(line.before.Snapshot)
	line.adrift = slices.ContainsFunc(p.typing.over, func(o *typedLine) bool { return o.alternate == alternate && o.at.row == line.at.row })
	return line
}

// interrupt gives up the line that is being typed: what follows was echoed, or is for a terminal that takes lines without an echo.
func (t *typing) interrupt() { t.part, t.line, t.paste = nil, nil, false }

// typeHidden takes input, in the picture from before it.
func (p *screenFeed) typeHidden(in *takenInput) {
	t := &p.typing
	data, now := append(t.part, in.data...), in.at
	t.part = nil
	if t.line != nil && t.line.alternate != p.terminal.Modes().Alternate {
		t.line = nil
	}
	entered := false // the cursor is not yet where the next line begins
	for len(data) > 0 {
		kind, n := nextTyped(data, &t.paste)
		if n == 0 {
			t.part = data
			return
		}
		if t.line == nil && kind == typedText {
			t.line = p.beginLine()
			t.line.by = in.by
			t.line.adrift = t.line.adrift || entered
		}
		if t.line != nil {
			p.typeKey(kind, data[:n], now)
		}
		entered = entered || kind == typedEnter
		data = data[n:]
	}
}

// typeKey takes one key of the line that is being typed.
func (p *screenFeed) typeKey(kind typedKind, key []byte, now time.Time) {
	line := p.typing.line
	if kind == typedNone {
		return
	}
	line.rested = false
	switch kind {
	case typedText:
		if len(line.text) == 0 {
			line.first = now
		}
		if line.last = now; len(line.text) <= maxTypedLine {
			line.text = append(line.text, key...)
		}
	case typedErase:
		if len(line.text) == 0 { // what it erases was not typed in this line
			p.typing.line = nil
			return
		}
		_, n := utf8.DecodeLastRune(line.text)
		line.text = line.text[:len(line.text)-n]
	case typedKill:
		line.text = nil
	case typedCancel:
		p.typing.line = nil
	case typedEnter:
		line.enter, line.last = true, now
		p.endLine(now)
	case typedLeave:
		if line.alternate {
			p.endLine(now)
		}
		p.typing.line = nil
	default:
		p.typing.line = nil
	}
}

// endLine ends the line that is being typed. If the picture does not show it yet, it may do so later.
func (p *screenFeed) endLine(now time.Time) {
	t := &p.typing
	line := t.line
	t.line = nil
	if len(line.text) > maxTypedLine || strings.TrimSpace(string(line.text)) == "" || p.judge(line, now) || p.judgeAtCursor(line) {
		return
	}
	t.over = append(t.over, line)
	if len(t.over) > maxTypedOver {
		t.over = t.over[1:]
	}
}

// judge notes the text of a line if the picture shows all of it. A single character must do so for some time, and begin where a
// person saw the cursor. On the alternate screen it must have been entered: it may be the last one of a mask.
func (p *screenFeed) judge(line *typedLine, now time.Time) bool {
	text := string(line.text)
	single := utf8.RuneCountInString(strings.TrimSpace(text)) < 2
	if line.adrift || single && (!line.cursor || now.Sub(line.last) < typedPatience || line.alternate && !line.enter) {
		return false
	}
	first, length := line.at.row-p.terminal.Scrolled(), line.moreRows(p.terminal)
	rows, ok := p.rowsOf(line.alternate, screen.View{First: first, Last: first + length})
	if !ok || !shownAt(rows, line.before, line.at, text) {
		return false
	}
	p.noteLine(line, text)
	return true
}

// judgeAtCursor notes the end of a text if the picture shows it before the cursor of a program with a screen of its own: the keys
// before it were a command.
func (p *screenFeed) judgeAtCursor(line *typedLine) bool {
	if !line.alternate || line.adrift {
		return false
	}
	rows, ok := p.rowsOf(true, screen.Visible())
	if !ok {
		return false
	}
	at, visible := p.cursorPlace(rows.Snapshot)
	shown := shownBefore(rows, line.before, at, string(line.text))
	command, text := len(line.text)-len(shown), utf8.RuneCountInString(strings.TrimSpace(shown))
	if !visible || command > mostCommand || text < 2 || command > 0 && text < leastText {
		return false
	}
	p.noteLine(line, shown)
	return true
}

func (p *screenFeed) noteLine(line *typedLine, text string) {
	if line.enter {
		text += "\r"
	}
	p.typing.note(shownText{text, line.first, line.last, line.by})
}

// judgeLines looks at the lines that the picture has not shown yet, and at the one that is being typed, if it rests.
func (p *screenFeed) judgeLines(now time.Time) {
	t := &p.typing
	kept := t.over[:0]
	for _, line := range t.over {
		line.rested = now.Sub(line.last) >= typedPatience
		stands := !line.alternate && p.cursorRow() == line.at.row // nothing was printed: its echo is late
		if !p.judge(line, now) && (stands || !line.rested) {
			kept = append(kept, line)
		}
	}
	clear(t.over[len(kept):])
	t.over = kept
	if line := t.line; line != nil && now.Sub(line.last) >= typedPatience {
		line.rested = true
		if !line.alternate && p.cursorRow() > line.at.row+line.moreRows(p.terminal) { // before that it may be erased
			p.endLine(now)
		}
	}
}

// moreRows returns how many more rows than one the text of a line can take.
func (l *typedLine) moreRows(t *screen.Terminal) int {
	cols, _ := t.Size()
	return (l.at.col+2*utf8.RuneCount(l.text))/cols + bytes.Count(l.text, []byte("\r")) + bytes.Count(l.text, []byte("\n"))
}

// typingDue returns when judgeLines has something to do without any output, or a zero time.
func (p *screenFeed) typingDue() (at time.Time) {
	for _, line := range p.typing.over {
		if !line.rested {
			at = soonest(at, line.last.Add(typedPatience))
		}
	}
	if line := p.typing.line; line != nil && !line.alternate && !line.rested {
		at = soonest(at, line.last.Add(typedPatience))
	}
	return at
}

// judgeAccepted judges the ended lines for the last time: the shell has read them at its prompt. It reads those later that are adrift.
func (p *screenFeed) judgeAccepted() {
	p.typing.over = slices.DeleteFunc(p.typing.over, func(line *typedLine) bool {
		p.judge(line, line.last.Add(typedPatience))
		return !line.adrift
	})
}

// promptShown notes that the prompt of an integrated shell ends here: the next line that was typed before is shown after it.
func (p *screenFeed) promptShown() {
	lines := p.typing.over
	if p.typing.line != nil && len(p.typing.line.text) > 0 {
		lines = append(lines[:len(lines):len(lines)], p.typing.line)
	}
	if i := slices.IndexFunc(lines, func(line *typedLine) bool { return line.adrift || line == p.typing.line }); i >= 0 {
		lines[i].at, lines[i].cursor = p.cursorPlace(p.terminal.Snapshot(screen.View{Last: -1}))
		lines[i].adrift = false
	}
}

// judgeLast judges all lines for the last time: the program has ended.
func (p *screenFeed) judgeLast() {
	if line := p.typing.line; line != nil {
		p.endLine(line.last)
	}
	p.judgeAccepted()
}
