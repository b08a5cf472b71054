package render

import (
	"bufio"
	"fmt"
	"strings"

	"devtools/screen"
)

// A pen writes the sequences that lead from one style to the next.
type pen struct {
	out      *bufio.Writer
	snapshot *screen.Snapshot
	style    screen.Style
	link     screen.Link
}

// set changes the style of the next text.
func (p *pen) set(style screen.Style) {
	if style == p.style {
		return
	}
	if link, _ := p.snapshot.Link(style); link != p.link {
		p.link = link
		id := ""
		if link.ID != "" {
			id = "id=" + printable(link.ID, ":;")
		}
		p.out.WriteString("\x1b]8;" + id + ";" + printable(link.URI, "") + "\x1b\\")
	}
	p.out.WriteString(sgr(p.style, style))
	p.style = style
}

// printable returns s with every byte that may not be in a sequence, or is one of others, encoded as
// in URIs.
func printable(s, others string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(others, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// sgr returns the shortest sequence that changes a style into another.
func sgr(from, to screen.Style) string {
	changes := from.Changes(to)
	if len(changes) == 0 {
		return ""
	}
	change := strings.Join(changes, ";")
	anew := strings.Join(append([]string{""}, screen.Style{}.Changes(to)...), ";") // an empty parameter is 0
	if len(anew) < len(change) {
		change = anew
	}
	return "\x1b[" + change + "m"
}
