package keys

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Modes are the settings of a terminal that decide what its keys send.
type Modes struct {
	ApplicationCursor bool // DECCKM
	ApplicationKeypad bool // DECNKM, DECKPAM
	NewLine           bool // LNM: Enter is CR LF
	BracketedPaste    bool // 2004
	Kitty             int  // the flags of the kitty keyboard protocol in force
}

// A Piece is what to write to the terminal at once. A keyboard sends one key at a time, and programs
// rely on that: many drop an Enter, or do not recognise a key, that arrives in one read with text.
// So each key is a piece of its own, and the text between two keys is one piece, unless a zero Stroke
// divides it.
type Piece struct {
	Data   []byte
	Enter  bool // it is Enter or another end of a line: CR or LF
	Escape bool // it ends in a lone ESC, which makes another key with input that follows at once
	Paste  bool // it is pasted text: Data may be long, and has the brackets if there are any
}

// The ends of a bracketed paste (xterm ctlseqs, Bracketed Paste Mode).
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// Encode returns what a terminal in these modes sends for the strokes. With paste, text is pasted
// and not typed: line feeds become CR. If the program knows brackets, the text stands between them,
// without any end of a paste in it. Keys among the text are pressed. An error names a key that these
// modes cannot send.
//
// Text keeps its bytes, but CR and LF are pieces of their own. If the program asked for all keys as
// escape codes (flag 8 of the kitty protocol), it gets typed characters in that form.
func Encode(strokes []Stroke, m Modes, paste bool) ([]Piece, error) {
	var w writer
	var pasted []byte
	for i, s := range strokes {
		switch {
		case s.key != 0:
			if err := w.press(s, m); err != nil {
				return nil, err
			}
		case s == Stroke{}:
			w.end(Piece{})
		case paste:
			pasted = append(pasted, s.text...)
			if i+1 == len(strokes) || strokes[i+1].key != 0 {
				w.paste(pasted, m.BracketedPaste)
				pasted = pasted[:0]
			}
		case !s.raw && m.Kitty&kittyAll != 0:
			for _, r := range s.text {
				w.data = appendKitty(w.data, typed(r), m.Kitty)
			}
		default:
			w.write(s.text)
		}
	}
	w.end(Piece{})
	start := 0
	for i, end := range w.ends {
		w.pieces[i].Data = w.data[start:end:end]
		start = end
	}
	return w.pieces, nil
}

// A writer collects pieces, whose data lies in one buffer. Text at its end does not belong to a
// piece yet.
type writer struct {
	data   []byte
	pieces []Piece
	ends   []int
}

// end makes a piece of the data since the last one, if there is any.
func (w *writer) end(p Piece) {
	start := 0
	if n := len(w.ends); n > 0 {
		start = w.ends[n-1]
	}
	if start < len(w.data) {
		w.pieces, w.ends = append(w.pieces, p), append(w.ends, len(w.data))
	}
}

// write writes text. The end of a line ends the piece.
func (w *writer) write(text string) {
	for text != "" {
		n := strings.IndexAny(text, "\r\n")
		if n < 0 {
			w.data = append(w.data, text...)
			return
		}
		w.data = append(w.data, text[:n]...)
		w.end(Piece{})
		w.data = append(w.data, text[n])
		w.end(Piece{Enter: true})
		text = text[n+1:]
	}
}

// press writes a key, as a piece of its own.
func (w *writer) press(s Stroke, m Modes) error {
	data, err := encode(s, m)
	if err != nil {
		return err
	}
	w.end(Piece{})
	w.data = append(w.data, data...)
	last := data[len(data)-1]
	w.end(Piece{
		Enter:  s.key == enter || s.key == kpEnter || last == '\r' || last == '\n',
		Escape: last == '\x1b',
	})
	return nil
}

// paste writes text as a paste. It reads the text once and removes each end of a paste, also one
// that only another removal puts together.
func (w *writer) paste(text []byte, brackets bool) {
	w.end(Piece{})
	if brackets {
		w.data = append(w.data, pasteStart...)
	}
	start := len(w.data)
	for i, c := range text {
		switch {
		case c == '\n' && i > 0 && text[i-1] == '\r':
			continue
		case c == '\n':
			c = '\r'
		}
		w.data = append(w.data, c)
		if brackets && c == '~' && bytes.HasSuffix(w.data[start:], []byte(pasteEnd)) {
			w.data = w.data[:len(w.data)-len(pasteEnd)]
		}
	}
	if brackets {
		w.data = append(w.data, pasteEnd...)
	}
	w.end(Piece{Paste: true})
}

// encode returns what a key sends. It is never empty.
func encode(s Stroke, m Modes) ([]byte, error) {
	if m.Kitty&(kittyDisambiguate|kittyAll) != 0 {
		return kitty(s, m)
	}
	switch {
	case s.key <= unicode.MaxRune:
		return character(s)
	case s.key >= kp0:
		return keypad(s, m)
	case s.key >= tab && s.key <= backspace:
		return editing(s, m)
	}
	return function(s, m)
}

// unsendable is the error for a key that has no code in the modes of the terminal.
func unsendable(s Stroke, why string) error {
	return fmt.Errorf("%s%s cannot be sent: %s unless the program turns on the kitty keyboard protocol",
		s.mods, s.key.name(), why)
}

// meta puts ESC before what a key sends, if Alt is held.
func meta(m mods, data string) []byte {
	if m&alt != 0 {
		data = "\x1b" + data
	}
	return []byte(data)
}

// character encodes a character with modifiers. Alt puts ESC before it. Ctrl makes it a control
// character, also with the digits for which a VT220 has one (tmux has C-- too).
func character(s Stroke) ([]byte, error) {
	c := s.key
	switch s.mods & (ctrl | shift) {
	case shift:
		return nil, fmt.Errorf("%s%s cannot be sent: its character depends on the keyboard; type that character itself",
			s.mods, s.key.name())
	case shift | ctrl:
		return nil, unsendable(s, "a terminal has no code for it")
	}
	if s.mods&ctrl == 0 {
		return meta(s.mods, string(rune(c))), nil
	}
	switch {
	case c == ' ' || c == '2':
		c = 0
	case c >= '3' && c <= '7':
		c += 0x1b - '3'
	case c == '8' || c == '?':
		c = 0x7f
	case c == '/' || c == '-':
		c = 0x1f
	case c >= '@' && c <= '~':
		c &= 0x1f
	default:
		return nil, unsendable(s, "there is no such control character")
	}
	return meta(s.mods, string(rune(c))), nil
}

// editing encodes Tab, Enter, Escape and BSpace, which are control characters.
func editing(s Stroke, m Modes) ([]byte, error) {
	switch plain := s.mods &^ alt; {
	case s.key == tab && plain == shift:
		return meta(s.mods, "\x1b[Z"), nil
	case s.key == backspace && plain == ctrl:
		return meta(s.mods, "\b"), nil
	case plain != 0:
		return nil, unsendable(s, "a terminal has no code for it")
	}
	switch s.key {
	case tab:
		return meta(s.mods, "\t"), nil
	case escape:
		return meta(s.mods, "\x1b"), nil
	case backspace:
		return meta(s.mods, "\x7f"), nil
	}
	if m.NewLine {
		return meta(s.mods, "\r\n"), nil
	}
	return meta(s.mods, "\r"), nil
}

// A code is the number and the final character of a key's sequence: CSI number final. The number 1
// is left out if nothing follows it.
type code struct {
	number int
	final  byte
}

// functionCodes are the keys that send sequences (ctlseqs, PC-Style Function Keys).
var functionCodes = [...]struct {
	key key
	code
}{
	{up, code{1, 'A'}},
	{down, code{1, 'B'}},
	{right, code{1, 'C'}},
	{left, code{1, 'D'}},
	{end, code{1, 'F'}},
	{home, code{1, 'H'}},
	{insert, code{2, '~'}},
	{del, code{3, '~'}},
	{pageUp, code{5, '~'}},
	{pageDown, code{6, '~'}},
	{f1, code{1, 'P'}},
	{f1 + 1, code{1, 'Q'}},
	{f1 + 2, code{1, 'R'}},
	{f1 + 3, code{1, 'S'}},
	{f1 + 4, code{15, '~'}},
	{f1 + 5, code{17, '~'}},
	{f1 + 6, code{18, '~'}},
	{f1 + 7, code{19, '~'}},
	{f1 + 8, code{20, '~'}},
	{f1 + 9, code{21, '~'}},
	{f1 + 10, code{23, '~'}},
	{f1 + 11, code{24, '~'}},
}

// functionCode returns the code of a key that sends a sequence, the zero code for another key.
func functionCode(k key) code {
	for _, f := range functionCodes {
		if f.key == k {
			return f.code
		}
	}
	return code{}
}

// function encodes the keys that send sequences. F13 to F24 are Shift with F1 to F12, as in xterm's
// terminfo entry.
func function(s Stroke, m Modes) ([]byte, error) {
	k, held := s.key, s.mods
	if k > f1+11 {
		if held&shift != 0 {
			return nil, unsendable(s, "a terminal has no code for it")
		}
		k, held = k-12, held|shift
	}
	c := functionCode(k)
	if held == 0 && c.number == 1 && (m.ApplicationCursor && m.Kitty&kittyEvents == 0 || c.final >= 'P') {
		return []byte{'\x1b', 'O', c.final}, nil
	}
	return appendCode(nil, c, held), nil
}

// appendCode appends CSI number ; modifiers final.
func appendCode(b []byte, c code, held mods) []byte {
	b = append(b, "\x1b["...)
	if c.number != 1 || held != 0 {
		b = strconv.AppendInt(b, int64(c.number), 10)
	}
	if held != 0 {
		b = append(b, ';', '1'+byte(held))
	}
	return append(b, c.final)
}

// The characters of the keypad's keys, and the final characters of their sequences in application
// mode, from kp0 on (ctlseqs, VT220-Style Function Keys).
const (
	keypadCharacters  = "0123456789./*-+\r=,"
	keypadApplication = "pqrstuvwxynojmkMXl"
)

// keypad encodes a key of the keypad: SS3 and a letter in application mode, otherwise the same as
// the main key.
func keypad(s Stroke, m Modes) ([]byte, error) {
	n := s.key - kp0
	switch {
	case m.ApplicationKeypad && s.mods&^alt == 0:
		return meta(s.mods, "\x1bO"+keypadApplication[n:n+1]), nil
	case s.mods&^alt != 0:
		return nil, unsendable(s, "a terminal has no code for it")
	case s.key == kpEnter:
		return editing(Stroke{key: enter, mods: s.mods}, m)
	}
	return meta(s.mods, keypadCharacters[n:n+1]), nil
}
