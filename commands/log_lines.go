package commands

import (
	"bytes"
	"io"
)

// A lineWriter passes what is written to it on in lines. A line has its line feed, unless it is the last one.
type lineWriter struct {
	each func(line []byte) error
	line []byte // present line so far
}

// maxLine is how much of a line is kept, in bytes. A longer line is passed on in pieces.
const maxLine = 1 << 20

func (l *lineWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n') + 1
		n := min(i, len(rest))
		if i == 0 {
			n = len(rest)
		}
		l.line = append(l.line, rest[:n]...)
		rest = rest[n:]
		if i > 0 || len(l.line) > maxLine {
			if err := l.close(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

// close passes on the rest of the last line.
func (l *lineWriter) close() error {
	line := l.line
	l.line = l.line[:0]
	if len(line) == 0 {
		return nil
	}
	return l.each(line)
}

// A labelWriter writes each line with the name of its session before it. What it writes at a time are whole lines.
type labelWriter struct {
	w     io.Writer
	lines lineWriter
	out   []byte // lines that are not written yet
}

func newLabelWriter(w io.Writer, name string) *labelWriter {
	l := &labelWriter{w: w}
	l.lines.each = func(line []byte) error {
		l.out = append(append(l.out, name...), " | "...)
		l.out = append(append(l.out, bytes.TrimRight(line, "\r\n")...), '\n')
		return nil
	}
	return l
}

func (l *labelWriter) Write(p []byte) (int, error) {
	n, _ := l.lines.Write(p) // each cannot fail
	return n, l.flush()
}

// close writes the last line, which may have no line feed.
func (l *labelWriter) close() error {
	_ = l.lines.close()
	return l.flush()
}

func (l *labelWriter) flush() error {
	if len(l.out) == 0 {
		return nil
	}
	_, err := l.w.Write(l.out)
	l.out = l.out[:0]
	return err
}

// A headWriter passes on the first lines, as many as left says, and drops what follows.
type headWriter struct {
	w    io.Writer
	left int
}

func (h *headWriter) Write(p []byte) (int, error) {
	end := 0
	for ; h.left > 0 && end < len(p); h.left-- {
		n := bytes.IndexByte(p[end:], '\n') + 1
		if n == 0 { // the line goes on
			end = len(p)
			break
		}
		end += n
	}
	if end > 0 {
		if _, err := h.w.Write(p[:end]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// full reports whether all lines have come. A nil headWriter takes any number of them.
func (h *headWriter) full() bool { return h != nil && h.left == 0 }
