package screen

import (
	"bytes"
	"fmt"
)

// A QueryKind is what a program asks its terminal for.
type QueryKind uint8

const (
	// StatusReport asks whether the terminal works: DSR, CSI 5 n (ECMA-48 8.3.35).
	StatusReport QueryKind = iota
	// CursorPosition asks where the cursor is: CSI 6 n, and DECXCPR, CSI ? 6 n.
	CursorPosition
	// PrimaryAttributes asks what the terminal is: DA1, CSI c and CSI 0 c, and
	// DECID, ESC Z.
	PrimaryAttributes
)

// A Query is a question that a program put to its terminal.
type Query struct {
	Kind QueryKind
	End  int // index in the chunk just behind the query

	extended bool // DECXCPR, whose answer differs
}

// Reply returns the terminal's answer, for a cursor at col and row as
// Plain.Cursor has them when all up to the query was written. The attributes
// are those of a VT220 with colour: they promise little, and any program that
// waits for an answer takes them (xterm ctlseqs, "Primary DA").
func (q Query) Reply(col, row int) []byte {
	switch q.Kind {
	case StatusReport:
		return []byte("\x1b[0n")
	case PrimaryAttributes:
		return []byte("\x1b[?62;22c")
	}
	if q.extended {
		return fmt.Appendf(nil, "\x1b[?%d;%dR", row+1, col+1)
	}
	return fmt.Appendf(nil, "\x1b[%d;%dR", row+1, col+1)
}

// A QueryScanner finds the queries in what a program writes. The zero value is
// ready.
type QueryScanner struct {
	parser parser
	sink   querySink
	found  []Query
}

// Scan returns the queries that end in chunk, nil if there is none. Those that
// began in an earlier chunk are found, those within control strings are not
// queries. The result is valid until the next Scan.
func (s *QueryScanner) Scan(chunk []byte) []Query {
	s.found = s.found[:0]
	for i := 0; i < len(chunk); {
		if s.parser.state == ground {
			n := bytes.IndexByte(chunk[i:], 0x1b)
			if n < 0 {
				break
			}
			i += n
			s.parser.npartial = 0 // text is nothing to us
		}
		s.sink.asked = false
		i += s.parser.next(chunk[i:], &s.sink)
		if s.sink.asked {
			s.sink.query.End = i
			s.found = append(s.found, s.sink.query)
		}
	}
	if len(s.found) == 0 {
		return nil
	}
	return s.found
}

// A querySink is the handler of a QueryScanner. It keeps the last query.
type querySink struct {
	query Query
	asked bool
}

func (q *querySink) ask(kind QueryKind, extended bool) {
	q.query, q.asked = Query{Kind: kind, extended: extended}, true
}

// csi implements handler.
func (q *querySink) csi(s *sequence) {
	public, n := s.private == 0, s.param(0, 0)
	switch {
	case s.ninter > 0 || s.n > 1:
	case s.final == 'n' && n == 5 && public:
		q.ask(StatusReport, false)
	case s.final == 'n' && n == 6 && (public || s.private == '?'):
		q.ask(CursorPosition, !public)
	case s.final == 'c' && n == 0 && public:
		q.ask(PrimaryAttributes, false)
	}
}

// esc implements handler.
func (q *querySink) esc(intermediates []byte, final byte) {
	if len(intermediates) == 0 && final == 'Z' {
		q.ask(PrimaryAttributes, false)
	}
}

func (q *querySink) print(rune)            {}
func (q *querySink) printASCII([]byte)     {}
func (q *querySink) execute(byte)          {}
func (q *querySink) osc([]byte, bool)      {}
func (q *querySink) dcs(*sequence, []byte) {}
