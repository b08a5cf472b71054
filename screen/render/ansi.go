package render

import (
	"bufio"
	"fmt"
	"strconv"
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

// set changes the style of what is written next.
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

// printable returns s with what may not be part of a sequence, or is one of
// others, as URIs encode it.
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
	changes := parameters(from, to)
	if len(changes) == 0 {
		return ""
	}
	change := strings.Join(changes, ";")
	anew := strings.Join(append([]string{""}, parameters(screen.Style{}, to)...), ";") // an empty parameter is 0
	if len(anew) < len(change) {
		change = anew
	}
	return "\x1b[" + change + "m"
}

// attributes are the parameters of SGR that switch an attribute on and off.
var attributes = [...]struct {
	attribute screen.Attributes
	on, off   string
}{
	{screen.Bold, "1", "22"},
	{screen.Dim, "2", "22"},
	{screen.Italic, "3", "23"},
	{screen.Blink, "5", "25"},
	{screen.Reverse, "7", "27"},
	{screen.Hidden, "8", "28"},
	{screen.Strike, "9", "29"},
	{screen.Overline, "53", "55"},
}

// parameters returns what SGR has to change, one by one.
func parameters(from, to screen.Style) []string {
	var list []string
	old, lost := from.Attributes, from.Attributes&^to.Attributes
	const weights = screen.Bold | screen.Dim
	if lost&weights != 0 { // they are switched off together
		list = append(list, "22")
		old, lost = old&^weights, lost&^weights
	}
	for _, a := range attributes {
		switch {
		case lost&a.attribute != 0:
			list = append(list, a.off)
		case to.Attributes&^old&a.attribute != 0:
			list = append(list, a.on)
		}
	}
	switch {
	case to.Underline == from.Underline:
	case to.Underline == screen.NoUnderline:
		list = append(list, "24")
	case to.Underline == screen.SingleUnderline:
		list = append(list, "4")
	default:
		list = append(list, "4:"+strconv.Itoa(int(to.Underline)))
	}
	if to.Foreground != from.Foreground {
		list = append(list, colorParameters(to.Foreground, 30))
	}
	if to.Background != from.Background {
		list = append(list, colorParameters(to.Background, 40))
	}
	if to.UnderlineColor != from.UnderlineColor {
		list = append(list, underlineColor(to.UnderlineColor))
	}
	return list
}

// colorParameters returns the parameters for a colour: base is that of the first of the
// palette, 30 for the foreground and 40 for the background.
func colorParameters(c screen.Color, base int) string {
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("%d;2;%d;%d;%d", base+8, r, g, b)
	}
	switch i, ok := c.Index(); {
	case !ok:
		return strconv.Itoa(base + 9)
	case i < 8:
		return strconv.Itoa(base + int(i))
	case i < 16:
		return strconv.Itoa(base + 60 + int(i) - 8)
	default:
		return fmt.Sprintf("%d;5;%d", base+8, i)
	}
}

// underlineColor returns the parameter for a colour with its subparameters,
// which terminals that do not know it skip.
func underlineColor(c screen.Color) string {
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("58:2::%d:%d:%d", r, g, b)
	}
	if i, ok := c.Index(); ok {
		return fmt.Sprintf("58:5:%d", i)
	}
	return "59"
}
