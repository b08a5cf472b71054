package runner

import (
	"bytes"
	"unicode/utf8"

	"devtools/ledger/transcript"
)

// A Preview keeps the head and the tail of what is written to it, within a budget of bytes. With a budget of 0 it
// keeps everything.
type Preview struct {
	budget  int
	head    []byte
	tail    []byte // a ring when it is full; the oldest byte is at start
	start   int
	written int64
}

// NewPreview returns a Preview of at most budget bytes.
func NewPreview(budget int) *Preview { return &Preview{budget: budget} }

// Write adds data. It never fails.
func (p *Preview) Write(data []byte) (int, error) {
	n := len(data)
	p.written += int64(n)
	room := n
	if p.budget > 0 {
		room = min(n, p.budget/2-len(p.head))
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

// Cut reports whether bytes are missing between head and tail.
func (p *Preview) Cut() bool { return p.written > int64(len(p.head)+len(p.tail)) }

// Parts returns the head and the tail, and how many bytes are missing between them. When nothing is missing, head is
// the whole and tail is nil. With text, Parts cuts at ends of lines if the lines are not very long, and never within a
// character.
func (p *Preview) Parts(text bool) (head, tail []byte, left int64) {
	tail = append(bytes.Clone(p.tail[p.start:]), p.tail[:p.start]...)
	if !p.Cut() {
		return append(p.head[:len(p.head):len(p.head)], tail...), nil, 0
	}
	head = p.head
	if text {
		head, tail = wholeLines(head, tail)
	}
	return head, tail, p.written - int64(len(head)+len(tail))
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
