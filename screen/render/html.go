package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"devtools/screen"
)

// HTML writes s as a complete page: text in a grid of columns, in colours, with the cursor, and with
// those links that are safe to follow.
func HTML(w io.Writer, s *screen.Snapshot) error {
	v := viewOf(s)
	p := page{view: v, out: bufio.NewWriter(w), classes: map[string]int{}, looks: map[cellStyle]look{}}
	p.head()
	for i := range v.Lines {
		p.row(i)
	}
	p.out.WriteString("</pre>\n</body>\n</html>\n")
	return p.out.Flush()
}

// A page is the HTML so far.
type page struct {
	view
	out     *bufio.Writer
	classes map[string]int // the numbers of style rules
	looks   map[cellStyle]look
}

// A cellStyle is what a look depends on.
type cellStyle struct {
	style       screen.Style
	underCursor bool
}

// A look is what the cells of one element have in common.
type look struct {
	rule string // "" for the default
	uri  string // of a link, "" for none
}

// head writes all that comes before the rows. Its policy lets the page load and run nothing.
func (p *page) head() {
	fmt.Fprintf(p.out, `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%[1]s</title>
<style>
body { margin: 0.5em; color: %[3]s; background: %[4]s }
pre { min-width: %[2]dch; margin: 0; font: 16px/19px "DejaVu Sans Mono", Menlo, Consolas, monospace;
	font-variant-ligatures: none; direction: ltr; unicode-bidi: bidi-override }
pre a { color: inherit; text-decoration: underline }
pre i { display: inline-block; width: 1ch; font-style: inherit; text-decoration: inherit; text-align: center }
pre i.w { width: 2ch }
`, escape(p.title()), p.cols, p.foreground, p.background)
	for i := range p.Lines {
		for c, underCursor := range p.cells(i) {
			rule := p.look(c, underCursor).rule
			if _, known := p.classes[rule]; !known && rule != "" {
				p.classes[rule] = len(p.classes)
				fmt.Fprintf(p.out, ".s%d { %s }\n", p.classes[rule], rule)
			}
		}
	}
	p.out.WriteString("</style>\n</head>\n<body>\n<pre>\n")
}

// row writes row i.
func (p *page) row(i int) {
	var now look
	var text strings.Builder
	flush := func() {
		p.element(now, text.String())
		text.Reset()
	}
	for c, underCursor := range p.cells(i) {
		if next := p.look(c, underCursor); next != now {
			flush()
			now = next
		}
		text.WriteString(inGrid(c))
	}
	flush()
	p.out.WriteByte('\n')
}

// element writes text, which is HTML already.
func (p *page) element(l look, text string) {
	class := ""
	if l.rule != "" {
		class = fmt.Sprintf(` class="s%d"`, p.classes[l.rule])
	}
	switch {
	case text == "":
	case l.uri != "":
		fmt.Fprintf(p.out, `<a%s href="%s" rel="noopener noreferrer">%s</a>`, class, escape(l.uri), text)
	case class != "":
		fmt.Fprintf(p.out, "<span%s>%s</span>", class, text)
	default:
		p.out.WriteString(text)
	}
}

// inGrid returns a cell's text as HTML. If a font may draw the text in another width, it gets an
// element with the width of the cell.
func inGrid(c screen.Cell) string {
	if c.Text == "" {
		return strings.Repeat(" ", c.Width)
	}
	r, size := utf8.DecodeRuneInString(c.Text)
	switch {
	case c.Width > 1:
		return `<i class="w">` + escape(c.Text) + "</i>"
	case size == len(c.Text) && (r < 0x590 || r >= 0x2500 && r < 0x25a0):
		return escape(c.Text)
	}
	return "<i>" + escape(c.Text) + "</i>"
}

// look returns the look of a cell, apart from its text.
func (p *page) look(c screen.Cell, underCursor bool) look {
	key := cellStyle{c.Style, underCursor}
	l, known := p.looks[key]
	if !known {
		l = p.newLook(c.Style, underCursor)
		p.looks[key] = l
	}
	return l
}

func (p *page) newLook(style screen.Style, underCursor bool) look {
	var l look
	if link, ok := p.Link(style); ok && safe(link.URI) {
		l.uri = link.URI
	}
	var rules []string
	add := func(format string, values ...any) { rules = append(rules, fmt.Sprintf(format, values...)) }
	if foreground := p.textColor(style, underCursor); foreground != p.foreground {
		add("color: %s", foreground)
	}
	if background := p.backColor(style, underCursor); background != p.background {
		add("background: %s", background)
	}
	if style.Has(screen.Bold) {
		add("font-weight: bold")
	}
	if style.Has(screen.Italic) {
		add("font-style: italic")
	}
	if lines := p.lines(style, l.uri != ""); lines != "" {
		add("text-decoration: %s", lines)
	}
	if underCursor {
		switch p.Cursor.Shape {
		case screen.UnderlineShape:
			add("box-shadow: inset 0 -2px %s", p.cursorColor())
		case screen.Bar:
			add("box-shadow: inset 2px 0 %s", p.cursorColor())
		}
	}
	l.rule = strings.Join(rules, "; ")
	return l
}

// lines returns the lines of a style for CSS, "" for the lines that an element has by default.
func (p *page) lines(style screen.Style, link bool) string {
	var lines []string
	add := func(line string, on bool) {
		if on {
			lines = append(lines, line)
		}
	}
	add("underline", style.Underline != screen.NoUnderline || link && style.Attributes&(screen.Strike|screen.Overline) != 0)
	add("line-through", style.Has(screen.Strike))
	add("overline", style.Has(screen.Overline))
	if style.Underline != screen.NoUnderline {
		css := [...]string{"", "solid", "double", "wavy", "dotted", "dashed"}[style.Underline]
		lines = append(lines, css, p.underlineColor(style).String())
	}
	return strings.Join(lines, " ")
}

// safe reports whether a person may follow a link: it cannot run anything.
func safe(uri string) bool {
	scheme, _, _ := strings.Cut(uri, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "file":
		return len(scheme) < len(uri)
	}
	return false
}
