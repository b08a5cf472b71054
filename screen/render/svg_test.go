package render

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"devtools/screen"
	"devtools/screen/render/glyph"
)

// drawingOf returns the SVG of a snapshot and the elements in it.
func drawingOf(t *testing.T, s *screen.Snapshot) (text string, elements []xml.StartElement) {
	t.Helper()
	var b strings.Builder
	if err := SVG(&b, s); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return b.String(), elements
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if e, ok := token.(xml.StartElement); ok {
			elements = append(elements, e.Copy())
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func TestSVGIsWellFormed(t *testing.T) {
	for _, text := range samples() {
		_, elements := drawingOf(t, shot(40, 12, text))
		defined := map[string]bool{}
		for _, e := range elements {
			if id := attribute(e, "id"); id != "" {
				defined["#"+id] = true
			}
			if href := attribute(e, "href"); href != "" && !defined[href] {
				t.Errorf("%s is used and not defined", href)
			}
		}
	}
	drawingOf(t, shot(20, 3, "<&>\"' ]]> \ufffe\uffff \x01\x7f\u0085 \x1b]2;<&>\x01\xff\ufffe\x07"))
}

func TestSVG(t *testing.T) {
	text, elements := drawingOf(t, shot(10, 2, "\x1b[?25laab\x1b[31ma\x1b[1ma\x1b[m\x1b[42m \x1b[8mh\x1b[m\n日"))
	if e := elements[0]; attribute(e, "viewBox") != "0 0 100 40" {
		t.Errorf("view box %q", attribute(e, "viewBox"))
	}
	var ids []string
	uses := 0
	for _, e := range elements {
		switch {
		case attribute(e, "id") != "":
			ids = append(ids, attribute(e, "id"))
		case e.Name.Local == "use":
			uses++
		}
	}
	if len(ids) != 4 || uses != 6 { // a, b, bold a, 日; the hidden h is not drawn
		t.Errorf("%d glyphs, used %d times:\n%s", len(ids), uses, text)
	}
	for _, want := range []string{
		`<path shape-rendering="crispEdges" fill="#0dbc79" d="M50 0h20v20h-20z"/>`,
		`<g fill="#cd3131"><use href="#g0" x="30" y="0"/>`,
		`<use href="#g3" x="0" y="20"/>`,
		`<text y="36" textLength="20">日</text>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// The parts of a picture are grouped by colour. The block of the cursor must still lie over the
// backgrounds.
func TestSVGCursor(t *testing.T) {
	text, _ := drawingOf(t, shot(10, 1, "\x1b[7m \x1b[44;27m abc \x1b[4G"))
	for _, want := range []string{
		`fill="#e5e5e5" d="M0 0h10v20h-10zM30 0h10v20h-10z"/>`,
		`fill="#347fd0" d="M10 0h20v20h-20zM40 0h20v20h-20z"/>`,
		`<g fill="#000000"><use href="#g1" x="30" y="0"/></g>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestPathData(t *testing.T) {
	var p glyph.Path
	p.Rect(0, 1.5, 10, 2)
	p = append(p, glyph.Segment{Op: glyph.Move, To: glyph.Point{X: -1, Y: 0.05}},
		glyph.Segment{Op: glyph.Line, To: glyph.Point{X: 2.126, Y: 1}},
		glyph.Segment{Op: glyph.Quad, Control: glyph.Point{X: 3, Y: 1}, To: glyph.Point{X: 3, Y: 10.1}})
	const want = "M0 1.5h10v.5h-10zM-1 .05l3.13 .95q.87 0 .87 9.1z"
	if got := pathData(p); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestTooLarge(t *testing.T) {
	s := shot(screen.MaxCols, 500, "")
	for name, write := range map[string]func(io.Writer, *screen.Snapshot) error{"SVG": SVG, "PNG": PNG} {
		err := write(io.Discard, s)
		if !errors.Is(err, ErrTooLarge) || !strings.HasPrefix(err.Error(), "500 rows of 1000 columns are 100 megapixels") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
