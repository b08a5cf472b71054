package runner

import (
	"bytes"
	"unicode/utf8"

	"devtools/ledger/transcript"
)

// A Preview keeps the head and the tail of what is written to it, within a budget of bytes and a number of lines. With a budget
// of 0 it keeps everything, and with 0 lines any number of them.
type Preview struct {
	budget  int
	lines   int  // the greatest number of lines; 0: any
	seen    int  // line feeds that were written
	open    bool // the last line has no line feed yet
	full    bool // nothing is added to head any more
	head    []byte
	tail    []byte // a ring when it is full; the oldest byte is at start
	start   int
	written int64
}

// NewPreview returns a Preview of at most budget bytes and at most that many lines. With lines, the budget is not 0.
func NewPreview(budget, lines int) *Preview { return &Preview{budget: budget, lines: lines} }

// Write adds data. It never fails.
func (p *Preview) Write(data []byte) (int, error) {
	n := len(data)
	p.written += int64(n)
	room := n
	if p.budget > 0 {
		room = min(n, p.budget/2-len(p.head))
	}
	if p.lines > 0 && n > 0 {
		room = min(room, p.headLines(data))
		p.seen += bytes.Count(data, []byte("\n"))
		p.open = data[n-1] != '\n'
	}
	p.head = append(p.head, data[:room]...)
	data = data[room:]
	size := p.budget - p.budget/2
	if over := len(data) - size; over > 0 {
		data = data[over:]
		p.tail, p.start = p.tail[:0], 0
	}
	if grow := min(len(data), size-len(p.tail)); grow > 0 {
		p.tail = append(p.tail, data[:grow]...)
		data = data[grow:]
	}
	for len(data) > 0 {
		m := copy(p.tail[p.start:], data)
		p.start = (p.start + m) % len(p.tail)
		data = data[m:]
	}
	return n, nil
}

// headLines returns how much of data belongs to the lines of the head, which has half of all lines.
func (p *Preview) headLines(data []byte) int {
	if p.full {
		return 0
	}
	left, end := p.lines/2-p.seen, 0
	for ; left > 0; left-- {
		i := bytes.IndexByte(data[end:], '\n')
		if i < 0 {
			return len(data)
		}
		end += i + 1
	}
	p.full = true
	return end
}

// Cut reports whether something is left out between head and tail.
func (p *Preview) Cut() bool { return p.written > int64(len(p.head)+len(p.tail)) || p.tooManyLines() }

// tooManyLines reports whether there were more lines than may be kept.
func (p *Preview) tooManyLines() bool {
	return p.lines > 0 && (p.seen > p.lines || p.seen == p.lines && p.open)
}

// Parts returns the head and the tail, and how many bytes are missing between them. When nothing is missing, head is
// the whole and tail is nil. With text, Parts cuts at ends of lines if the lines are not very long, and never within a
// character.
func (p *Preview) Parts(text bool) (head, tail []byte, left int64) {
	tail = append(bytes.Clone(p.tail[p.start:]), p.tail[:p.start]...)
	if !p.Cut() {
		return append(p.head[:len(p.head):len(p.head)], tail...), nil, 0
	}
	last := tail
	if p.tooManyLines() {
		last = lastLines(tail, p.lines-p.lines/2)
	}
	head = p.head
	if text {
		head, tail = wholeLines(head, tail)
	}
	if len(last) < len(tail) || !text {
		tail = last
	}
	return head, tail, p.written - int64(len(head)+len(tail))
}

// LinesLeft returns how many lines are missing between head and tail, which Parts has returned, if there were more lines than
// may be kept. Otherwise it returns 0.
func (p *Preview) LinesLeft(head, tail []byte) int {
	if !p.tooManyLines() {
		return 0
	}
	return p.seen - bytes.Count(head, []byte("\n")) - bytes.Count(tail, []byte("\n"))
}

// lastLines returns the last n lines of text, or all of it if it has fewer. The very last may have no line feed.
func lastLines(text []byte, n int) []byte {
	for at := len(text) - 1; at >= 0; n-- {
		if at = bytes.LastIndexByte(text[:at], '\n'); n == 1 {
			return text[at+1:]
		}
	}
	return text
}

// wholeLines cuts head after a line and begins tail with a line. Where that is not possible, it cuts at characters.
func wholeLines(head, tail []byte) ([]byte, []byte) {
	if end := bytes.LastIndexByte(head, '\n') + 1; end > len(head)/2 {
		head = head[:end]
	} else {
		head = head[:transcript.WholeCharacters(head)]
	}
	if start := bytes.IndexByte(tail, '\n') + 1; start > 0 && start < len(tail)/2 {
		return head, tail[start:]
	}
	for i := 0; i < utf8.UTFMax && len(tail) > 0 && !utf8.RuneStart(tail[0]); i++ {
		tail = tail[1:]
	}
	return head, tail
}
