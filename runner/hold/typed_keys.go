package hold

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A typedKind says what a key means for the line that is being typed.
type typedKind int

const (
	typedText   typedKind = iota
	typedErase            // it erases the last character
	typedKill             // it erases the line
	typedCancel           // it gives the line up
	typedEnter            // it ends the line
	typedLeave            // in an editor it ends a text; a line editor may change the text with it
	typedOther            // nobody knows what becomes of the text before it
	typedNone             // it is no key: a report of the terminal, or the brackets of a paste
)

// controlKind returns what a control character means. With Escape, text in vim ends; with C-o, C-s and C-x, nano and emacs begin
// to save.
func controlKind(b byte) typedKind {
	switch b {
	case '\r', '\n':
		return typedEnter
	case 0x7f, '\b':
		return typedErase
	case killLine:
		return typedKill
	case 0x03:
		return typedCancel
	case 0x1b, 0x0f, 0x13, 0x18:
		return typedLeave
	}
	return typedOther
}

// sequenceKind returns what an escape sequence means: an arrow, Home or End; or a report of focus, of the mouse, of the cursor, of
// modes or of what the terminal is; or Enter of the keypad. A report of the cursor in the first row looks like F3.
func sequenceKind(sequence []byte) typedKind {
	switch final := sequence[len(sequence)-1]; sequence[1] {
	case ']', 'P', '_':
		if len(sequence) > 2 {
			return typedNone
		}
	case '[', 'O':
		switch report := sequence[1] == '['; {
		case strings.IndexByte("ABCDHF", final) >= 0:
			return typedLeave
		case string(sequence) == "\x1bOM":
			return typedEnter
		case report && strings.IndexByte("IOMmRycn", final) >= 0 && !(final == 'R' && strings.HasPrefix(string(sequence), "\x1b[1;")):
			return typedNone
		}
	}
	return typedOther
}

// nextTyped returns the kind of the first key of data and its length. It returns 0 for the beginning of a character whose rest is
// not there yet. paste reports whether the key is typed inside a paste, and is kept up to date: there, a line end is text.
func nextTyped(data []byte, paste *bool) (kind typedKind, n int) {
	if data[0] >= ' ' && data[0] != 0x7f {
		switch {
		case !utf8.FullRune(data):
			return typedText, 0
		case data[0] < utf8.RuneSelf:
			return typedText, 1
		}
		if r, n := utf8.DecodeRune(data); r != utf8.RuneError && r >= 0xa0 {
			return typedText, n
		}
		return typedOther, 1
	}
	if n = sequenceLength(data); n > 1 {
		switch string(data[:n]) {
		case "\x1b[200~", "\x1b[201~":
			*paste = data[n-2] == '0'
			return typedNone, n
		}
		kind = sequenceKind(data[:n])
	} else {
		kind = controlKind(data[0])
	}
	switch {
	case *paste && kind == typedEnter && n == 1:
		kind = typedText
	case kind == typedNone: // a report may come in the middle of a paste
	case *paste:
		kind = typedOther
	}
	return kind, n
}

// sequenceLength returns the length of the escape sequence at the beginning of data, or 1 if there is none. ESC and a character
// are a key with Alt, and so is the beginning of a sequence without its end.
func sequenceLength(data []byte) int {
	if data[0] != 0x1b || len(data) == 1 {
		return 1
	}
	switch data[1] {
	case '[':
		end := bytes.IndexFunc(data[2:], func(r rune) bool { return r < ' ' || r >= '@' })
		if end >= 0 && data[2+end] >= '@' && data[2+end] <= '~' {
			return end + 3
		}
	case 'O':
		return min(3, len(data))
	case ']', 'P', '_': // a report as a string
		end := bytes.IndexFunc(data[2:], func(r rune) bool { return r < ' ' })
		switch {
		case end < 0:
		case data[2+end] == '\a':
			return end + 3
		case bytes.HasPrefix(data[2+end:], []byte("\x1b\\")):
			return end + 4
		}
	}
	return 2
}
