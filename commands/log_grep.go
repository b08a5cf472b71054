package commands

import (
	"bytes"
	"io"
	"regexp"
)

// A lineFilter is a writer that passes on only the lines that match.
type lineFilter struct {
	w       io.Writer
	pattern *regexp.Regexp
	line    []byte // present line so far
}

// maxLine is how much of a line is matched at once, in bytes. A longer line is matched in pieces.
const maxLine = 1 << 20

func (m *lineFilter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n') + 1
		n := min(i, len(rest))
		if i == 0 {
			n = len(rest)
		}
		m.line = append(m.line, rest[:n]...)
		rest = rest[n:]
		if i > 0 || len(m.line) > maxLine {
			if err := m.close(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

// close passes on the rest of the last line, if it matches.
func (m *lineFilter) close() error {
	line := m.line
	m.line = m.line[:0]
	if len(line) == 0 || !m.pattern.Match(bytes.TrimRight(line, "\r\n")) {
		return nil
	}
	_, err := m.w.Write(line)
	return err
}
