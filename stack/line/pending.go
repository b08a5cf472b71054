package line

import (
	"slices"
	"strings"
)

// A Pending says what a shell waits for behind a text that was typed into it: POSIX, Shell Command Language, 2.2 and 2.7.4; bash(1),
// QUOTING and Here Documents.
type Pending struct {
	Open     bool   // the command has not ended
	Closing  string // what ends the command: quotes, brackets and the end words of here-documents
	Commands string // the text without the lines of here-documents
}

// Waits returns what a shell waits for behind a text. Words that need another one, such as if and do, do not count: a shell reads
// the commands between them as it reads others.
func Waits(text string) Pending {
	s := scanner{rest: text}
	for s.rest != "" {
		s.next()
	}
	return Pending{Open: len(s.open)+len(s.documents) > 0 || s.last != "", Closing: s.closing(), Commands: s.commands.String()}
}

// The kinds of what is open in a text: a quote or a bracket stands for itself.
const (
	dollarQuote = '$' // $'…'
	parameter   = '{' // ${…}
	arithmetic  = '+' // a bracket of $((…)) or ((…))
)

// closings are what ends each kind.
var closings = [128]string{'\'': "'", '"': `"`, '`': "`", '(': ")", dollarQuote: "'", parameter: "}", arithmetic: ")"}

// A document is a here-document of which the end was not read yet.
type document struct {
	end    string // the word that ends it
	tabs   bool   // tabs before a line do not count
	quoted bool   // nothing in it is replaced, so that a backslash does not join two lines
}

// A scanner finds what is open in a text of a shell.
type scanner struct {
	rest       string
	open       []byte // kinds of what is open, from the outside in
	documents  []document
	inDocument bool
	commands   strings.Builder
	last       string // | |& || && or a backslash at the end of the text, "" if it ends with something else
	word       bool   // within a word, where # begins no comment
}

// closing returns what ends the command. A here-document ends before the bracket in which its command stands.
func (s *scanner) closing() string {
	var b strings.Builder
	open := slices.Clone(s.open)
	slices.Reverse(open)
	for !s.inDocument && len(open) > 0 && open[0] != '(' && open[0] != '`' {
		b.WriteString(closings[open[0]])
		open = open[1:]
	}
	if len(s.documents) > 0 {
		b.WriteString("\n") // the last line may end with a backslash
	}
	for _, d := range s.documents {
		b.WriteString("\n" + d.end)
	}
	if s.last != "" && s.last != `\` {
		b.WriteString("\n:")
	}
	if len(s.documents) > 0 && len(open) > 0 {
		b.WriteString("\n")
	}
	for _, c := range open {
		b.WriteString(closings[c])
	}
	return b.String()
}

// within returns the kind of the innermost part that is open, or 0.
func (s *scanner) within() byte {
	if len(s.open) == 0 {
		return 0
	}
	return s.open[len(s.open)-1]
}

// take takes n bytes.
func (s *scanner) take(n int) {
	n = min(n, len(s.rest))
	s.commands.WriteString(s.rest[:n])
	s.rest = s.rest[n:]
}

// begin takes n bytes that open parts of some kinds.
func (s *scanner) begin(n int, kinds ...byte) {
	s.open = append(s.open, kinds...)
	s.last, s.word = "", false
	s.take(n)
}

// end takes the byte that ends the innermost part.
func (s *scanner) end() {
	s.open = s.open[:len(s.open)-1]
	s.last, s.word = "", true
	s.take(1)
}

// next takes what the text begins with.
func (s *scanner) next() {
	c, within := s.rest[0], s.within()
	quoted := within == '\'' || within == dollarQuote
	switch {
	case c == '\\' && within != '\'':
		s.last, s.word = "", true
		if len(s.rest) == 1 || s.rest == "\\\n" {
			s.last = `\`
		}
		s.take(2)
	case quoted && c == '\'':
		s.end()
	case quoted:
		s.take(1)
	case c == '"' && within == '"', c == '`' && within == '`', c == '}' && within == parameter:
		s.end()
	case c == '"', c == '`':
		s.begin(1, c)
	case strings.HasPrefix(s.rest, "$(("):
		s.begin(3, arithmetic, arithmetic)
	case strings.HasPrefix(s.rest, "$("):
		s.begin(2, '(')
	case strings.HasPrefix(s.rest, "${"):
		s.begin(2, parameter)
	case within == '"':
		s.take(1)
	case strings.HasPrefix(s.rest, "$'") && within != arithmetic:
		s.begin(2, dollarQuote)
	case c == '\'' && (within != parameter || !slices.Contains(s.open, '"')):
		s.begin(1, c)
	case within == arithmetic && c == '(':
		s.begin(1, arithmetic)
	case within == arithmetic && c == ')':
		s.end()
	case within == arithmetic, within == parameter:
		s.take(1)
	default:
		s.command(c)
	}
}

// command takes the next character of a command outside of quotes.
func (s *scanner) command(c byte) {
	switch {
	case c == '#' && !s.word:
		s.take(strings.IndexByte(s.rest+"\n", '\n'))
	case strings.HasPrefix(s.rest, "((") && !s.word:
		s.begin(2, arithmetic, arithmetic)
	case c == '(':
		s.begin(1, '(')
	case c == ')' && s.within() == '(':
		s.end()
		s.word = false
	case strings.HasPrefix(s.rest, "<<<"):
		s.last, s.word = "", false
		s.take(3)
	case strings.HasPrefix(s.rest, "<<"):
		s.document()
	case c == '\n':
		s.word = false
		s.take(1)
		s.skipDocuments()
	case strings.HasPrefix(s.rest, "&&"), strings.HasPrefix(s.rest, "||"), strings.HasPrefix(s.rest, "|&"):
		s.last, s.word = s.rest[:2], false
		s.take(2)
	case c == '|':
		s.last, s.word = "|", false
		s.take(1)
	case c == ' ', c == '\t':
		s.word = false
		s.take(1)
	default:
		s.last, s.word = "", !strings.ContainsRune(";&<>)", rune(c))
		s.take(1)
	}
}

// document takes << and the word that ends the here-document. The word may be in quotes.
func (s *scanner) document() {
	d := document{tabs: strings.HasPrefix(s.rest, "<<-")}
	at := len(s.rest) - len(strings.TrimLeft(strings.TrimPrefix(s.rest[2:], "-"), " \t"))
	var end []byte
	var quote byte
	for ; at < len(s.rest); at++ {
		c := s.rest[at]
		if quote == 0 && strings.IndexByte(" \t\n;|&()<>", c) >= 0 {
			break
		}
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, d.quoted = c, true
		case quote != '\'' && strings.HasPrefix(s.rest[at:], "\\\n"):
			at++
		case quote != '\'' && c == '\\' && at+1 < len(s.rest):
			at++
			end, d.quoted = append(end, s.rest[at]), true
		default:
			end = append(end, c)
		}
	}
	if d.end = string(end); d.end != "" || d.quoted {
		s.documents = append(s.documents, d)
	}
	if quote != 0 {
		s.open = append(s.open, quote)
	}
	s.last, s.word = "", true
	s.take(at)
}

// skipDocuments leaves out the here-documents that begin at a line.
func (s *scanner) skipDocuments() {
	for len(s.documents) > 0 {
		d := s.documents[0]
		text, rest, ended := strings.Cut(s.rest, "\n")
		for ended && !d.quoted && backslashes(text)%2 == 1 {
			var more string
			more, rest, ended = strings.Cut(rest, "\n")
			text = text[:len(text)-1] + more
		}
		if d.tabs {
			text = strings.TrimLeft(text, "\t")
		}
		switch s.rest = rest; {
		case text == d.end && (ended || text != ""):
			s.documents = s.documents[1:]
		case !ended:
			s.inDocument = true
			return
		}
	}
}

// backslashes returns the number of backslashes at the end of a text.
func backslashes(text string) int { return len(text) - len(strings.TrimRight(text, `\`)) }
