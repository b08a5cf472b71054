package screen

import (
	"bytes"
	"slices"
	"strconv"
)

// maxHeld is how long a sequence can be that may be a query, in bytes.
const maxHeld = 1024

// A QueryFilter takes out of a program's output what a terminal answers: reports
// of its state, attributes, colours and settings (the queries of xterm's ctlseqs
// and of the kitty keyboard protocol). It is for output that several terminals
// show, and one other answers for all. All else passes unchanged, but for
// sequences that never came to their end. The zero value is ready.
type QueryFilter struct {
	state filterState
	held  []byte // the beginning of what may be a query
}

type filterState uint8

const (
	filterText    filterState = iota
	filterEscape              // after ESC
	filterCSI                 // in a control sequence
	filterOSC                 // in an operating system command that may ask
	filterDCS                 // after ESC P
	filterString              // in a string that passes
	filterDropped             // in a string that is a query
	filterEnd                 // after ESC in a string, which is held
	filterPassEnd             // the same in one that passes
	filterDropEnd             // the same in a query
)

// Filter appends to out what passes of output, which may be split anywhere. The
// beginning of a sequence passes when it is known what it is.
func (f *QueryFilter) Filter(out, output []byte) []byte {
	for len(output) > 0 {
		if f.state == filterText {
			n := bytes.IndexAny(output, "\x1b\x05")
			if n < 0 {
				return append(out, output...)
			}
			out = append(out, output[:n]...)
			if output[n] == 0x1b { // ENQ asks for an answerback message
				f.held, f.state = append(f.held[:0], 0x1b), filterEscape
			}
			output = output[n+1:]
			continue
		}
		if f.state == filterString {
			n := bytes.IndexAny(output, "\x1b\x07\x18\x1a")
			if n < 0 {
				return append(out, output...)
			}
			out = append(out, output[:n]...)
			f.held, f.state = append(f.held[:0], output[n]), filterPassEnd
			if output[n] != 0x1b {
				out = f.pass(out, filterText)
			}
			output = output[n+1:]
			continue
		}
		out = f.step(out, output[0])
		output = output[1:]
	}
	return out
}

// step takes one byte of what may be a query.
func (f *QueryFilter) step(out []byte, c byte) []byte {
	switch f.state {
	case filterEscape:
		return f.escape(out, c)
	case filterPassEnd:
		f.state = filterEscape
		if c == '\\' {
			f.held = append(f.held, c)
			return f.pass(out, filterText)
		}
		return f.escape(append(out, "\x1b\\"...), c) // what comes may be taken out: the string is to end without it
	case filterDropped:
		switch c {
		case 0x1b:
			f.state = filterDropEnd
		case 0x18, 0x1a:
			f.state = filterText
		}
		return out
	case filterDropEnd:
		if f.state = filterEscape; c == '\\' {
			f.state = filterText
			return out
		}
		f.held = append(f.held[:0], 0x1b)
		return f.escape(out, c)
	case filterEnd:
		asks := f.asks()
		if c == '\\' {
			if f.held = append(f.held, c); asks {
				f.held = f.held[:0]
			}
			return f.pass(out, filterText)
		}
		if f.held = append(f.held, '\\'); asks {
			f.held = f.held[:0]
		}
		out = f.pass(out, filterEscape)
		f.held = append(f.held, 0x1b)
		return f.escape(out, c)
	}
	if c == 0x1b && f.state != filterOSC {
		f.drop()
		out = f.pass(out, filterEscape)
		f.held = append(f.held, c)
		return out
	}
	f.held = append(f.held, c)
	switch {
	case c == 0x18 || c == 0x1a:
		return f.pass(out, filterText)
	case len(f.held) > maxHeld && f.state == filterCSI:
		return f.pass(out, filterText) // the rest of it does no harm
	case f.state == filterCSI:
		return f.control(out, c)
	case f.state == filterOSC:
		return f.command(out, c)
	case len(f.held) == 3 && (c == '$' || c == '+'):
		return out
	case len(f.held) == 4 && c == 'q': // DECRQSS, XTGETTCAP
		f.held, f.state = f.held[:0], filterDropped
		return out
	}
	return f.pass(out, filterString)
}

// pass lets out what is held.
func (f *QueryFilter) pass(out []byte, next filterState) []byte {
	out = append(out, f.held...)
	f.held, f.state = f.held[:0], next
	return out
}

// drop forgets a sequence that is held. Controls inside of it act all the same.
func (f *QueryFilter) drop() {
	f.held = slices.DeleteFunc(f.held, func(c byte) bool { return c >= 0x20 || c == 0x1b })
}

// escape takes a byte after ESC, which is held.
func (f *QueryFilter) escape(out []byte, c byte) []byte {
	if c == 0x1b {
		f.drop()
		out = f.pass(out, filterEscape)
		f.held = append(f.held, c)
		return out
	}
	f.held = append(f.held, c)
	switch {
	case c == '[':
		f.state = filterCSI
	case c == ']':
		f.state = filterOSC
	case c == 'P':
		f.state = filterDCS
	case c == 'X' || c == '^' || c == '_':
		return f.pass(out, filterString)
	case c == 'Z' && !bytes.ContainsFunc(f.held, func(r rune) bool { return r >= 0x20 && r < 0x30 }): // DECID
		f.drop()
		return f.pass(out, filterText)
	case c >= 0x20 && c < 0x30 && len(f.held) < maxHeld, c == 0x7f, c < 0x20 && c != 0x18 && c != 0x1a:
		f.state = filterEscape
	default:
		return f.pass(out, filterText)
	}
	return out
}

// control takes a byte of a control sequence.
func (f *QueryFilter) control(out []byte, c byte) []byte {
	if c < 0x40 || c == 0x7f {
		return out
	}
	common := c == 'm' && f.held[2] != '?' || c == 'H' || c == 'K' // and no query
	if c < 0x80 && !common && asksCSI(f.held[2:]) {
		f.drop()
	}
	return f.pass(out, filterText)
}

// command takes a byte of an operating system command.
func (f *QueryFilter) command(out []byte, c byte) []byte {
	switch {
	case c == 0x07:
		if f.asks() {
			f.held = f.held[:0]
		}
		return f.pass(out, filterText)
	case c == 0x1b:
		f.state = filterEnd
		return out
	case len(f.held) > maxHeld, c == ';' && !mayAsk(f.held[2:]):
		return f.pass(out, filterString)
	}
	return out
}

// mayAsk reports whether a command with the number at the beginning of text can
// be a query: for colours, or what was copied.
func mayAsk(text []byte) bool {
	number, _, _ := bytes.Cut(text, []byte(";"))
	n, err := strconv.Atoi(string(number))
	return err == nil && (n == 4 || n == 5 || n >= 10 && n <= 19 || n == 21 || n == 52)
}

// asks reports whether the command that is held is a query.
func (f *QueryFilter) asks() bool {
	text := bytes.TrimRight(f.held[2:], "\a\x1b")
	if !mayAsk(text) {
		return false
	}
	for i, field := range bytes.Split(text, []byte(";")) {
		if i > 0 && string(field) == "?" {
			return true
		}
	}
	return false
}

// asksCSI reports whether a control sequence, without its introducer, is a query.
func asksCSI(sequence []byte) bool {
	var params, inter []byte
	var private byte
	for i, c := range sequence[:len(sequence)-1] {
		switch {
		case i == 0 && c >= '<' && c <= '?':
			private = c
		case c >= '0' && c <= ';':
			params = append(params, c)
		case c >= 0x20 && c < 0x30:
			inter = append(inter, c)
		}
	}
	first, _, _ := bytes.Cut(params, []byte(";"))
	n, _ := strconv.Atoi(string(first)) // 0 where there is none
	final := sequence[len(sequence)-1]
	if len(inter) > 0 {
		switch string(inter) + string(final) {
		case "$p", "$w", "$u", "&u", "*y", `"v`, "'|", "#|", "#R":
			return true
		}
		return false
	}
	switch final {
	case 'c':
		return private != '?' && n == 0
	case 'n':
		return private == 0 || private == '?'
	case 'q':
		return private == '>'
	case 'u', 'm', 'S':
		return private == '?'
	case 'x':
		return private == 0
	case 't':
		return private == 0 && (n == 11 || n >= 13 && n <= 16 || n >= 18 && n <= 21)
	}
	return false
}
