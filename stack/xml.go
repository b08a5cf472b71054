package stack

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// An xmlKind says what a piece of XML is.
type xmlKind int

const (
	xmlStart xmlKind = iota // of an element; an empty element has an end too
	xmlEnd
	xmlText
)

// An xmlReader reads the elements and texts of an XML document. It leaves out namespaces, attributes,
// comments, instructions and the document type, and does not know the entities of that. encoding/xml
// can do more, but makes a table of HTML's entities at each start of the program (19 KB).
type xmlReader struct {
	data []byte
	line int      // of the end of the last piece
	open []string // the elements around the last piece; an end has left its element
	ends int      // how many of the elements in open end before the next piece, from the innermost on
}

func newXMLReader(data []byte) *xmlReader { return &xmlReader{data: data, line: 1} }

// next returns the next piece with the name of its element, or its text. The error is io.EOF after the
// last piece. An end that does not fit ends the elements inside of its own.
func (r *xmlReader) next() (xmlKind, string, error) {
	for r.ends == 0 {
		switch {
		case len(r.data) == 0 && len(r.open) > 0:
			return 0, "", r.wrong("unexpected EOF")
		case len(r.data) == 0:
			return 0, "", io.EOF
		case r.data[0] != '<':
			return xmlText, unescapeXML(r.text("", "<")), nil
		case bytes.HasPrefix(r.data, []byte("<![CDATA[")):
			return xmlText, r.text("<![CDATA[", "]]>"), nil
		case bytes.HasPrefix(r.data, []byte("<!--")):
			r.text("<!--", "-->")
		case bytes.HasPrefix(r.data, []byte("<?")):
			r.text("<?", "?>")
		case bytes.HasPrefix(r.data, []byte("<!")):
			if _, err := r.takeTag(); err != nil {
				return 0, "", err
			}
		default:
			if kind, name, err := r.tag(); kind == xmlStart || err != nil {
				return kind, name, err
			}
		}
	}
	last := len(r.open) - 1
	name := r.open[last]
	r.open, r.ends = r.open[:last], r.ends-1
	return xmlEnd, name, nil
}

// take consumes n bytes.
func (r *xmlReader) take(n int) []byte {
	taken := r.data[:n]
	r.data = r.data[n:]
	r.line += bytes.Count(taken, []byte("\n"))
	return taken
}

// text consumes the text between two marks. Text before a tag does not consume it.
func (r *xmlReader) text(begin, end string) string {
	r.take(len(begin))
	length := bytes.Index(r.data, []byte(end))
	if length < 0 {
		return string(r.take(len(r.data)))
	}
	text := string(r.take(length))
	if end != "<" {
		r.take(len(end))
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// tag consumes a tag. A start opens an element; an end says how many elements it closes.
func (r *xmlReader) tag() (xmlKind, string, error) {
	tag, err := r.takeTag()
	if err != nil {
		return 0, "", err
	}
	inner, isEnd := strings.CutPrefix(tag[1:len(tag)-1], "/")
	inner, isEmpty := strings.CutSuffix(inner, "/")
	name, _, _ := strings.Cut(inner, "/")
	if i := strings.IndexAny(name, " \t\r\n"); i >= 0 {
		name = name[:i]
	}
	if name == "" || strings.ContainsAny(name, "<&\"'=") {
		return 0, "", r.wrong("a name is missing in " + strconv.Quote(tag[:min(len(tag), 20)]))
	}
	if _, local, ok := strings.Cut(name, ":"); ok && local != "" {
		name = local
	}
	if !isEnd {
		r.open = append(r.open, name)
		if isEmpty {
			r.ends = 1
		}
		return xmlStart, name, nil
	}
	for i := len(r.open) - 1; i >= 0; i-- {
		if r.open[i] == name {
			r.ends = len(r.open) - i
			return xmlEnd, name, nil
		}
	}
	return 0, "", r.wrong("unexpected end element </" + name + ">")
}

// takeTag consumes a tag or the document type, up to its own '>'. Quoted text, comments and inner tags
// belong to it.
func (r *xmlReader) takeTag() (string, error) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(r.data); i++ {
		switch c := r.data[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case bytes.HasPrefix(r.data[i:], []byte("<!--")):
			length := bytes.Index(r.data[i:], []byte("-->"))
			if length < 0 {
				length = len(r.data)
			}
			i += length + 2
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			depth++
		case c == '>':
			if depth--; depth == 0 {
				return string(r.take(i + 1)), nil
			}
		}
	}
	r.take(len(r.data))
	return "", r.wrong("unexpected EOF")
}

func (r *xmlReader) wrong(what string) error { return fmt.Errorf("line %d: %s", r.line, what) }

// longestReference is the length of #x10FFFF; in bytes, and some leading zeros.
const longestReference = 16

// unescapeXML replaces references to characters. Other references stay.
func unescapeXML(text string) string {
	if !strings.Contains(text, "&") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "&")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, _, complete := strings.Cut(rest[:min(len(rest), longestReference)], ";")
		if char := referenced(name); complete && char != 0 {
			b.WriteRune(char)
			text = rest[len(name)+1:]
		} else {
			b.WriteByte('&')
			text = rest
		}
	}
}

// referenced returns the character that a reference means, 0 if it is none of XML's own.
func referenced(name string) rune {
	switch name {
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "amp":
		return '&'
	case "apos":
		return '\''
	case "quot":
		return '"'
	}
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		return 0
	}
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	if err != nil {
		return 0
	}
	return rune(n)
}
