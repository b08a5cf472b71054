package screen

import (
	"bytes"
	"slices"
	"strconv"
)

// maxHeld is the longest sequence that may be a query, in bytes.
const maxHeld = 1024

// A QueryFilter removes queries from the output of a program: sequences that a terminal answers with
// a report of its state, attributes, colours or settings (the queries of xterm's ctlseqs and of the
// kitty keyboard protocol). It serves output that several terminals show while another one answers
// for all. Everything else passes unchanged, except incomplete sequences. The zero value is ready.
type QueryFilter struct {
	state filterState
	held  []byte // the beginning of a sequence that may be a query
}

type filterState uint8

const (
	filterText    filterState = iota
	filterEscape              // after ESC
	filterCSI                 // in a control sequence
	filterOSC                 // in an operating system command that may be a query
	filterDCS                 // after ESC P
	filterString              // in a string that passes
	filterDropped             // in a string that is a query
	filterEnd                 // after ESC in a command that may be a query
	filterPassEnd             // after ESC in a string that passes
	filterDropEnd             // after ESC in a string that is a query
)

// Filter appends the part of output that passes to out. Output may be split anywhere. The beginning
// of a sequence passes once it cannot be a query any more.
func (f *QueryFilter) Filter(out, output []byte) []byte {
	for len(output) > 0 {
		taken := 1
		switch f.state {
		case filterText:
			out, taken = f.text(out, output)
		case filterString:
			out, taken = f.string(out, output)
		default:
			out = f.step(out, output[0])
		}
		output = output[taken:]
	}
	return out
}

// text passes text up to the next ESC or ENQ, and returns how many bytes it took. ENQ is dropped: it
// asks for an answerback message.
func (f *QueryFilter) text(out, output []byte) (passed []byte, taken int) {
	n := bytes.IndexAny(output, "\x1b\x05")
	if n < 0 {
		return append(out, output...), len(output)
	}
	if output[n] == 0x1b {
		f.held, f.state = append(f.held[:0], 0x1b), filterEscape
	}
	return append(out, output[:n]...), n + 1
}

// string passes the text of a control string up to the byte that may end it, and returns how many
// bytes it took.
func (f *QueryFilter) string(out, output []byte) (passed []byte, taken int) {
	n := bytes.IndexAny(output, "\x1b\x07\x18\x1a")
	if n < 0 {
		return append(out, output...), len(output)
	}
	out = append(out, output[:n]...)
	f.held, f.state = append(f.held[:0], output[n]), filterPassEnd
	if output[n] != 0x1b {
		out = f.pass(out, filterText)
	}
	return out, n + 1
}

// step takes one byte of a sequence that may be a query.
func (f *QueryFilter) step(out []byte, c byte) []byte {
	switch f.state {
	case filterEscape:
		return f.escape(out, c)
	case filterPassEnd:
		return f.endPassing(out, c)
	case filterDropped:
		f.skip(c)
		return out
	case filterDropEnd:
		return f.endDropped(out, c)
	case filterEnd:
		return f.endCommand(out, c)
	}
	switch {
	case c == 0x1b && f.state != filterOSC:
		return f.restart(out)
	case c == 0x18 || c == 0x1a: // CAN, SUB
		f.held = append(f.held, c)
		return f.pass(out, filterText)
	}
	f.held = append(f.held, c)
	switch f.state {
	case filterCSI:
		return f.control(out, c)
	case filterOSC:
		return f.command(out, c)
	}
	return f.device(out, c)
}

// endPassing takes the byte after ESC in a string that passes.
func (f *QueryFilter) endPassing(out []byte, c byte) []byte {
	f.state = filterEscape
	if c == '\\' {
		f.held = append(f.held, c)
		return f.pass(out, filterText)
	}
	return f.escape(append(out, "\x1b\\"...), c) // the next sequence may be dropped, so the string ends before it
}

// skip takes a byte of a query.
func (f *QueryFilter) skip(c byte) {
	switch c {
	case 0x1b:
		f.state = filterDropEnd
	case 0x18, 0x1a: // CAN, SUB
		f.state = filterText
	}
}

// endDropped takes the byte after ESC in a query.
func (f *QueryFilter) endDropped(out []byte, c byte) []byte {
	if c == '\\' {
		f.state = filterText
		return out
	}
	f.held, f.state = append(f.held[:0], 0x1b), filterEscape
	return f.escape(out, c)
}

// endCommand takes the byte after ESC in an operating system command. Any byte but a backslash
// begins another sequence, so that the command gets its own end.
func (f *QueryFilter) endCommand(out []byte, c byte) []byte {
	if asks := f.asks(); asks {
		f.held = f.held[:0]
	} else {
		f.held = append(f.held, '\\')
	}
	if c == '\\' {
		return f.pass(out, filterText)
	}
	out = f.pass(out, filterEscape)
	f.held = append(f.held, 0x1b)
	return f.escape(out, c)
}

// restart takes an ESC, which cancels the held sequence.
func (f *QueryFilter) restart(out []byte) []byte {
	f.drop()
	out = f.pass(out, filterEscape)
	f.held = append(f.held, 0x1b)
	return out
}

// device takes a byte of a device control string. After ESC P, $q (DECRQSS) and +q (XTGETTCAP) begin
// a query.
func (f *QueryFilter) device(out []byte, c byte) []byte {
	switch {
	case len(f.held) == 3 && (c == '$' || c == '+'):
		return out
	case len(f.held) == 4 && c == 'q':
		f.held, f.state = f.held[:0], filterDropped
		return out
	}
	return f.pass(out, filterString)
}

// pass passes the held bytes, and changes to the next state.
func (f *QueryFilter) pass(out []byte, next filterState) []byte {
	out = append(out, f.held...)
	f.held, f.state = f.held[:0], next
	return out
}

// drop forgets the held sequence, except the controls inside it, which have an effect of their own.
func (f *QueryFilter) drop() {
	f.held = slices.DeleteFunc(f.held, func(c byte) bool { return c >= 0x20 || c == 0x1b })
}

// escape takes a byte after a held ESC.
func (f *QueryFilter) escape(out []byte, c byte) []byte {
	if c == 0x1b {
		return f.restart(out)
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
	if len(f.held) > maxHeld {
		return f.pass(out, filterText) // no query is that long, and the rest of the sequence does no harm
	}
	if c < 0x40 || c == 0x7f {
		return out
	}
	common := c == 'm' && f.held[2] != '?' || c == 'H' || c == 'K' // frequent, and never a query
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

// mayAsk reports whether a command that begins with this number can be a query: for colours, or for
// copied text.
func mayAsk(text []byte) bool {
	number, _, _ := bytes.Cut(text, []byte(";"))
	n, err := strconv.Atoi(string(number))
	return err == nil && (n == 4 || n == 5 || n >= 10 && n <= 19 || n == 21 || n == 52)
}

// asks reports whether the held command is a query.
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
func asksCSI(text []byte) bool {
	s := splitCSI(text)
	if len(s.intermediates) > 0 {
		return slices.Contains(queriesWithIntermediates, s.intermediates+string(s.final))
	}
	switch s.final {
	case 'c': // DA1, DA2, DA3
		return s.private != '?' && s.first == 0
	case 'n': // DSR
		return s.private == 0 || s.private == '?'
	case 'q': // XTVERSION
		return s.private == '>'
	case 'u', 'm', 'S': // the kitty keyboard protocol, XTQMODKEYS, XTSMGRAPHICS
		return s.private == '?'
	case 'x': // DECREQTPARM
		return s.private == 0
	case 't': // XTWINOPS
		n := s.first
		return s.private == 0 && (n == 11 || n >= 13 && n <= 16 || n >= 18 && n <= 21)
	}
	return false
}

// queriesWithIntermediates are the intermediate and final bytes of the queries that have
// intermediate bytes.
var queriesWithIntermediates = []string{"$p", "$w", "$u", "&u", "*y", `"v`, "'|", "#|", "#R"}

// A csiForm is what tells a control sequence from others.
type csiForm struct {
	private       byte // one of < = > ?, or 0
	first         int  // the first parameter, 0 where there is none
	intermediates string
	final         byte
}

// splitCSI takes a control sequence apart, which is given without its introducer. Controls inside of it are left out.
func splitCSI(text []byte) csiForm {
	s := csiForm{final: text[len(text)-1]}
	var params, intermediates []byte
	for i, c := range text[:len(text)-1] {
		switch {
		case i == 0 && c >= '<' && c <= '?':
			s.private = c
		case c >= '0' && c <= ';':
			params = append(params, c)
		case c >= 0x20 && c < 0x30:
			intermediates = append(intermediates, c)
		}
	}
	first, _, _ := bytes.Cut(params, []byte(";"))
	s.first, _ = strconv.Atoi(string(first)) // 0 for an empty one
	s.intermediates = string(intermediates)
	return s
}
