package hold

import (
	"bytes"
	"fmt"
	"strings"

	"devtools/runner/wire"
)

// maxHalfLine is how much of a line is kept, in bytes: its end.
const maxHalfLine = wire.MaxHalfLine

// A halfLine is what was typed since the last key that ends a command: an Enter, unless a shell reads on behind it. A policy judges
// it with what is typed behind it. It is in the memory of the holder alone: it may be a part of a secret.
type halfLine []byte

// take takes what was typed. A C-c or C-u stays in it: the program may have given these keys another meaning.
func (h *halfLine) take(data []byte) {
	if end := bytes.LastIndexAny(data, "\r\n") + 1; end > 0 {
		if !readsOn(append(*h, data[:end]...)) {
			*h = nil
			data = data[end:]
		}
	}
	line := append(*h, data...)
	*h = line[max(0, len(line)-maxHalfLine):]
}

// readsOn reports whether a shell reads on behind a line. A text that is too long to be kept whole is forgotten at its end: it is no
// command, and an editor that gets it has no brackets to close.
func readsOn(text []byte) bool {
	at := bytes.LastIndexByte(text, 0x03)
	if len(text) >= maxHalfLine && at < 0 {
		return false
	}
	lines := string(bytes.ReplaceAll(text[at+1:], []byte("\r"), []byte("\n")))
	printed := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, lines)
	return openText(printed) || len(printed) != len(lines) && openText(erased(lines))
}

// erased returns a text as it is after the keys in it that erase.
func erased(text string) string {
	var line []byte
	for _, b := range []byte(text) {
		switch {
		case b == 0x7f || b == '\b':
			line = line[:max(0, len(line)-1)]
		case b == 0x15: // C-u
			line = line[:bytes.LastIndexByte(line, '\n')+1]
		case b >= ' ' || b == '\n' || b == '\t':
			line = append(line, b)
		}
	}
	return string(line)
}

// openText reports whether a shell waits for more behind a text: a quote, a parenthesis or a here-document is open, or the last
// line ends with a backslash or a pipe.
func openText(text string) bool {
	s := shellText{rest: text}
	for s.rest != "" {
		s.next()
	}
	return s.quote != 0 || s.depth > 0 || s.last == '|' || s.last == '\\' || len(s.documents) > 0
}

// A shellText finds what is open in a text.
type shellText struct {
	rest      string
	quote     byte // the quote that is open, 0 for none
	escapes   bool // a backslash means something in it
	depth     int  // open parentheses
	last      byte // last character that is no blank, and no line end unless it is escaped
	word      bool // within a word, where # is no comment
	documents []string
}

// next takes what the text begins with.
func (s *shellText) next() {
	c := s.rest[0]
	switch {
	case c == '\\' && (s.quote == 0 || s.escapes):
		s.rest, s.last, s.word = s.rest[min(2, len(s.rest)):], '\\', true
		if s.rest != "" {
			s.last = 'x' // it matters at the end alone
		}
		return
	case s.quote != 0:
		if c == s.quote {
			s.quote = 0
		}
	case c == '\'' || c == '"' || c == '`':
		s.quote, s.escapes = c, c != '\'' || s.last == '$'
	case c == '#' && !s.word:
		s.rest = strings.TrimLeft(s.rest, "#")
		s.rest = s.rest[max(0, strings.IndexByte(s.rest+"\n", '\n')):]
		return
	case c == '(':
		s.depth++
	case c == ')':
		s.depth = max(0, s.depth-1)
	case strings.HasPrefix(s.rest, "<<<"):
		s.rest, s.last = s.rest[3:], '<'
		return
	case strings.HasPrefix(s.rest, "<<"):
		s.document()
		return
	case c == '\n':
		s.rest, s.word = s.rest[1:], false
		s.skipDocuments()
		return
	}
	if s.word = !strings.ContainsRune(" \t;&|()", rune(c)); c != ' ' && c != '\t' {
		s.last = c
	}
	s.rest = s.rest[1:]
}

// document takes the word that ends a here-document.
func (s *shellText) document() {
	word := strings.TrimLeft(strings.TrimPrefix(s.rest[2:], "-"), " \t")
	end := strings.IndexAny(word+"\n", " \t\n;|&)")
	s.documents = append(s.documents, strings.Trim(word[:end], `'"\`))
	s.rest, s.last, s.word = word[end:], 'x', true
}

// skipDocuments leaves out the here-documents that begin at a line.
func (s *shellText) skipDocuments() {
	for len(s.documents) > 0 && s.rest != "" {
		var line string
		line, s.rest, _ = strings.Cut(s.rest, "\n")
		if strings.TrimLeft(line, "\t") == s.documents[0] {
			s.documents = s.documents[1:]
		}
	}
}

// checkHalfLine refuses a request if something else was typed since a policy has judged it: what the program gets would not be what
// was judged.
func (in *input) checkHalfLine(ask *wire.TypeRequest) error {
	if !ask.Judged {
		return nil
	}
	same := make(chan bool, 1)
	in.done <- func() { same <- bytes.Equal(in.half, ask.Behind) }
	if !<-same {
		return fmt.Errorf("session %q: %w", in.session.Name, wire.ErrTypedBefore)
	}
	return nil
}
