package render

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"

	"devtools/screen"
	"devtools/screen/render/glyph"
)

// SVG writes a picture of s. The glyphs are paths, so that it looks the same everywhere. Invisible
// text lies over them, for selection and for screen readers. The limit of its size is that of PNG.
func SVG(w io.Writer, s *screen.Snapshot) error {
	v, err := pictureOf(s)
	if err != nil {
		return err
	}
	d := &drawing{ids: map[glyphKey]int{}}
	paint(v, d)

	out := bufio.NewWriter(w)
	wide, high := max(v.cols, 1)*glyph.Width, max(len(v.Lines), 1)*glyph.Height
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+"\n", wide, high)
	fmt.Fprintf(out, "<title>%s</title>\n", escape(v.title()))
	fmt.Fprintf(out, `<rect width="%d" height="%d" fill="%s"/>`+"\n", wide, high, v.background)
	d.fills.write(out, `<path shape-rendering="crispEdges" fill="%s" d="%s"/>`+"\n")
	fmt.Fprintf(out, "<defs>\n%s</defs>\n", &d.defs)
	d.marks.write(out, `<g fill="%s">%s</g>`+"\n")
	fmt.Fprintf(out, `<g fill-opacity="0" font-family="monospace" font-size="16" xml:space="preserve">`+"\n")
	for i := range v.Lines {
		if columns := width(s, i, false, false); columns > 0 {
			fmt.Fprintf(out, `<text y="%d" textLength="%d">%s</text>`+"\n",
				i*glyph.Height+glyph.Baseline, columns*glyph.Width, escape(s.Text(i, false)))
		}
	}
	out.WriteString("</g>\n</svg>\n")
	return out.Flush()
}

// escape returns text for HTML and XML, as content or as an attribute's value.
func escape(text string) string { return html.EscapeString(clean(text)) }

// A drawing is a canvas of SVG elements.
type drawing struct {
	fills byColor // path data
	marks byColor // elements
	defs  strings.Builder
	ids   map[glyphKey]int // the number of each glyph in defs; -1 for a glyph without a path
}

func (d *drawing) fill(row, col, columns int, color screen.Color) {
	fmt.Fprintf(d.fills.of(color), "M%d %dh%dv%dh-%[3]dz", col*glyph.Width, row*glyph.Height, columns*glyph.Width, glyph.Height)
}

func (d *drawing) path(row, col int, path glyph.Path, color screen.Color) {
	path = path.Moved(float32(col*glyph.Width), float32(row*glyph.Height))
	fmt.Fprintf(d.marks.of(color), `<path d="%s"/>`, pathData(path))
}

func (d *drawing) glyph(row int, c screen.Cell, color screen.Color) {
	key := keyOf(c)
	id, ok := d.ids[key]
	if !ok {
		id = d.define(key)
		d.ids[key] = id
	}
	if id >= 0 {
		fmt.Fprintf(d.marks.of(color), `<use href="#g%s" x="%d" y="%d"/>`,
			strconv.FormatInt(int64(id), 36), c.Col*glyph.Width, row*glyph.Height)
	}
}

// define adds a glyph and returns its number.
func (d *drawing) define(key glyphKey) int {
	g := glyph.Of(key.text, key.columns, key.bold, key.italic)
	if len(g.Path) == 0 {
		return -1
	}
	id := len(d.ids)
	fmt.Fprintf(&d.defs, `<path id="g%s"`, strconv.FormatInt(int64(id), 36))
	if g.Opacity < 1 {
		fmt.Fprintf(&d.defs, ` opacity="%.2f"`, g.Opacity)
	}
	if g.Area {
		d.defs.WriteString(` shape-rendering="crispEdges"`)
	}
	fmt.Fprintf(&d.defs, ` d="%s"/>`+"\n", pathData(g.Path))
	return id
}

// byColor collects parts of a drawing by their colour, in the order in which the colours come.
type byColor struct {
	order []screen.Color
	parts map[screen.Color]*strings.Builder
}

func (b *byColor) of(color screen.Color) *strings.Builder {
	part := b.parts[color]
	if part == nil {
		if b.parts == nil {
			b.parts = map[screen.Color]*strings.Builder{}
		}
		part = new(strings.Builder)
		b.parts[color] = part
		b.order = append(b.order, color)
	}
	return part
}

// write writes the collected parts: a format gets the colour and the parts.
func (b *byColor) write(out *bufio.Writer, format string) {
	for _, color := range b.order {
		fmt.Fprintf(out, format, color, b.parts[color])
	}
}

// pathData returns a path for the attribute d, with two decimals.
func pathData(path glyph.Path) string {
	var b []byte
	var x, y int // the place of the pen, in hundredths
	number := func(hundredths int) {
		if hundredths >= 0 && b[len(b)-1] >= '0' && b[len(b)-1] <= '9' {
			b = append(b, ' ')
		}
		b = appendHundredths(b, hundredths)
	}
	hundredths := func(f float32) int { return int(math.Round(float64(f) * 100)) }
	for i, s := range path {
		toX, toY := hundredths(s.To.X), hundredths(s.To.Y)
		switch {
		case s.Op == glyph.Move:
			if i > 0 {
				b = append(b, 'z')
			}
			b = append(b, 'M')
			number(toX)
			number(toY)
		case s.Op == glyph.Quad:
			b = append(b, 'q')
			number(hundredths(s.Control.X) - x)
			number(hundredths(s.Control.Y) - y)
			number(toX - x)
			number(toY - y)
		case toY == y:
			b = append(b, 'h')
			number(toX - x)
		case toX == x:
			b = append(b, 'v')
			number(toY - y)
		default:
			b = append(b, 'l')
			number(toX - x)
			number(toY - y)
		}
		x, y = toX, toY
	}
	return string(append(b, 'z'))
}

// appendHundredths appends n/100 in the fewest characters.
func appendHundredths(b []byte, n int) []byte {
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	if n >= 100 || n == 0 {
		b = strconv.AppendInt(b, int64(n/100), 10)
	}
	switch n %= 100; {
	case n == 0:
	case n%10 == 0:
		b = append(b, '.', byte('0'+n/10))
	default:
		b = append(b, '.', byte('0'+n/10), byte('0'+n%10))
	}
	return b
}
