package screen

import "strconv"

const (
	maxParams = 32       // the most parameters of a sequence; further ones are read and dropped
	maxParam  = 65535    // larger parameters are clamped to this
	maxString = 64 << 10 // the most bytes of a control string; further ones are read and dropped
)

// A handler acts on parsed input. Slices and the sequence are valid only during the call.
type handler interface {
	// print gets one character that is not printable ASCII. It may be U+FFFD for malformed UTF-8, but
	// never a C0 or C1 control.
	print(r rune)
	// printASCII gets a run of characters from U+0020 to U+007E.
	printASCII(text []byte)
	// execute gets a C0 control other than ESC (ECMA-48 5.2). It gets CAN and SUB after the sequence
	// that they cancelled.
	execute(c byte)
	// csi gets a control sequence (ECMA-48 5.4).
	csi(s *sequence)
	// esc gets an escape sequence that begins neither a control sequence nor a string (ECMA-35 13.2). ST
	// arrives as the final byte '\\'.
	esc(intermediates []byte, final byte)
	// osc gets the text of an operating system command (ECMA-48 8.3.89). bell tells whether it ended
	// with BEL or with ST, because an answer ends in the same way.
	osc(data []byte, bell bool)
	// dcs gets a device control string (ECMA-48 8.3.27): the sequence that introduced it, and the text
	// behind it.
	dcs(s *sequence, data []byte)
}

// A sequence is a control sequence without its introducer.
type sequence struct {
	private byte // one of < = > ?, or 0
	final   byte
	n       int            // parameters given
	params  [maxParams]int // 0 to maxParam, -1 for an empty field
	subs    uint32         // bit i: params[i] is a sub-parameter, which follows ':'
	inter   [2]byte
	ninter  int  // intermediates; 3 stands for more than two
	full    bool // the sequence had more than maxParams parameters
}

// reset empties s. The old parameters behind n do no harm.
func (s *sequence) reset() {
	s.private, s.final, s.n, s.subs, s.ninter, s.full = 0, 0, 0, 0, 0, false
}

// intermediates returns the bytes between the parameters and the final byte.
func (s *sequence) intermediates() []byte { return s.inter[:min(s.ninter, len(s.inter))] }

// param returns parameter i, or def if it is empty or missing.
func (s *sequence) param(i, def int) int {
	if i >= s.n || s.params[i] < 0 {
		return def
	}
	return s.params[i]
}

// count returns parameter i as a number of times: 1 if it is empty, missing or 0.
func (s *sequence) count(i int) int { return max(s.param(i, 1), 1) }

// sub reports whether parameter i is a sub-parameter of an earlier one.
func (s *sequence) sub(i int) bool { return i < s.n && s.subs>>i&1 != 0 }

// A parser splits the output of a program into text, controls, sequences and strings. It is the
// state machine of Paul Williams (vt100.net/emu/dec_ansi_parser) for UTF-8: bytes from 0x80 are
// never C1 controls, ':' separates sub-parameters, and BEL ends an OSC.
//
// Input may be split anywhere. The zero value is ready. A parser never holds more than maxString
// bytes.
type parser struct {
	state state
	seq   sequence

	data []byte // the text of the string so far

	partial  [4]byte // the beginning of a UTF-8 sequence
	npartial int

	unread int  // bytes of the incomplete character or sequence
	acted  bool // some of these bytes have already had an effect
}

// idle reports whether the next byte begins a character or a sequence.
func (p *parser) idle() bool { return p.state == ground && p.npartial == 0 }

// next consumes some of b, which is not empty, and returns how many bytes: a run of text, one
// control, or one sequence or string up to its end. It calls the handler at most once, apart from
// controls inside a sequence.
func (p *parser) next(b []byte, h handler) int {
	i := 0
	if p.state == ground {
		if p.npartial > 0 || b[0] != 0x1b {
			n := p.text(b, h)
			p.unread = p.npartial
			return n
		}
		makeTransitions.Do(buildTransitions)
		p.enter(escape)
		p.unread, p.acted, i = 0, false, 1
	}
	for i < len(b) && p.state != ground {
		c := b[i]
		switch {
		case p.state >= firstString:
			i += p.str(b[i:], h)
			p.restart(i, b[i-1])
		case c >= 0x80:
			// No sequence contains such a byte: it ends the sequence and begins text.
			p.state = ground
			i += p.text(b[i:], h)
			p.unread, p.acted = p.npartial, false
			return i
		default:
			p.step(c, h)
			i++
			p.restart(i, c)
		}
	}
	p.unread += i
	if p.state == ground {
		p.unread = 0
	}
	return i
}

// restart records that c, the last of n bytes of a piece, began a sequence.
func (p *parser) restart(n int, c byte) {
	if c == 0x1b && p.state == escape {
		p.unread, p.acted = 1-n, false // the caller adds the length of the piece
	}
}

// flush prints U+FFFD for a character that is still incomplete.
func (p *parser) flush(h handler) {
	if p.npartial > 0 {
		p.npartial = 0
		h.print('\uFFFD')
	}
}

// enter changes to a state that begins a sequence or a string.
func (p *parser) enter(s state) {
	switch s {
	case escape, csiEntry, dcsEntry:
		p.seq.reset()
	case oscString, dcsPassthrough, dcsIgnore, otherString:
		p.data = p.data[:0]
	}
	p.state = s
}

// begun returns input that brings a new parser into the state of p, inside a sequence or a string.
func (p *parser) begun() []byte {
	s := &p.seq
	b := []byte{0x1b}
	switch p.state {
	case escape, escapeIntermediate:
	case csiIgnore:
		return append(b, "[0<"...)
	case dcsIgnore:
		return append(b, "P0<"...)
	case oscString:
		return append(append(b, ']'), p.data...)
	case otherString:
		return append(b, 'X')
	case dcsEntry, dcsParam, dcsIntermediate, dcsPassthrough:
		b = append(b, 'P')
	default:
		b = append(b, '[')
	}
	if s.private != 0 {
		b = append(b, s.private)
	}
	for i := range s.n {
		if i > 0 {
			b = append(b, ";:"[btoi(s.subs>>i&1 != 0)])
		}
		if s.params[i] >= 0 {
			b = strconv.AppendInt(b, int64(s.params[i]), 10)
		}
	}
	if s.full {
		b = append(b, ';')
	}
	b = append(b, s.intermediates()...)
	if s.ninter > len(s.inter) {
		b = append(b, ' ')
	}
	if p.state == dcsPassthrough {
		b = append(append(b, s.final), p.data...)
	}
	return b
}

// step takes one byte below 0x80 in a state that is neither ground nor string.
func (p *parser) step(c byte, h handler) {
	t := transitions[p.state][c]
	s := &p.seq
	switch t.action {
	case actExecute:
		h.execute(c)
		p.acted = true
	case actPrivate:
		s.private = c
	case actCollect:
		if s.ninter < len(s.inter) {
			s.inter[s.ninter] = c
		}
		s.ninter = min(s.ninter+1, 3)
	case actParam:
		s.add(c)
	case actEscape:
		if s.ninter <= len(s.inter) {
			h.esc(s.intermediates(), c)
		}
	case actCSI:
		s.final = c
		if s.ninter <= len(s.inter) {
			h.csi(s)
		}
	case actHook:
		s.final = c
	}
	if t.next != p.state || t.next == escape {
		p.enter(t.next)
	}
}

// add appends one byte of the parameter string, '0' to ';'.
func (s *sequence) add(c byte) {
	if s.n == 0 {
		s.params[0] = -1
		s.n = 1
	}
	switch {
	case c >= ':' && s.n == maxParams:
		s.full = true
	case c >= ':':
		s.params[s.n] = -1
		if c == ':' {
			s.subs |= 1 << s.n
		}
		s.n++
	case !s.full:
		v := &s.params[s.n-1]
		*v = min(max(*v, 0)*10+int(c-'0'), maxParam)
	}
}

// str takes bytes of a control string and returns how many. BEL ends the string if it is an OSC. ESC
// ends it too: it begins ST or another sequence. CAN and SUB cancel it.
func (p *parser) str(b []byte, h handler) int {
	n := 0
	for n < len(b) && (b[n] >= 0x20 || p.state == dcsPassthrough && isStringControl(b[n])) {
		n++
	}
	if p.state == oscString || p.state == dcsPassthrough {
		p.data = append(p.data, b[:min(n, maxString-len(p.data))]...)
	}
	if n == len(b) {
		return n
	}
	switch c := b[n]; {
	case c == 0x18 || c == 0x1a:
		p.state = ground
		h.execute(c)
	case c == 0x1b:
		p.end(h, false)
		p.enter(escape)
	case c == 0x07 && p.state == oscString:
		p.end(h, true)
		p.state = ground
	}
	return n + 1
}

// end passes the complete string to the handler.
func (p *parser) end(h handler, bell bool) {
	switch p.state {
	case oscString:
		h.osc(p.data, bell)
	case dcsPassthrough:
		h.dcs(&p.seq, p.data)
	}
}

// isStringControl reports whether c is a control that belongs to the text of a device control
// string.
func isStringControl(c byte) bool { return c != 0x18 && c != 0x1a && c != 0x1b }
