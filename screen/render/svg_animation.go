package render

import (
	"bufio"
	"fmt"
	"hash/maphash"
	"io"
	"strconv"
	"strings"
	"time"

	"devtools/screen"
	"devtools/screen/render/glyph"
)

// maxStates is the most changes of rows that an animated SVG has.
const maxStates = 200_000

// stripGap is the gap between two states of a row on their strip, because letters may be wider than
// their cells.
const stripGap = 2 * glyph.Width

// An SVGAnimation writes an SVG that moves by CSS alone and repeats for ever. The states of each row
// lie side by side on a strip, which shows one at a time. Equal rows and equal glyphs are in the
// file once.
type SVGAnimation struct {
	out        *bufio.Writer
	cols, rows int
	title      string

	drawing    *drawing
	background screen.Color
	began      bool
	shown      []rowState     // of each row
	ids        map[uint64]int // the number of each row, by the hash of its look
	seed       maphash.Seed
	strips     [][]rowChange // of each row
	states     int
}

// A rowState identifies the look of a row.
type rowState struct {
	hash   uint64
	cursor screen.Cursor // the zero Cursor if it is in another row
}

// A rowChange says when a row changes, and to which row: its number, or -1 for an empty one.
type rowChange struct {
	at time.Duration
	id int
}

// NewSVGAnimation returns an SVGAnimation that writes to w, for screens of at most cols x rows. If
// the picture would be too large, the error is ErrTooLarge.
func NewSVGAnimation(w io.Writer, cols, rows int, title string) (*SVGAnimation, error) {
	if pixels := int64(cols) * glyph.Width * int64(rows) * glyph.Height; pixels > maxPixels {
		return nil, fmt.Errorf("%d rows of %d columns are %w", rows, cols, ErrTooLarge)
	}
	return &SVGAnimation{
		out: bufio.NewWriter(w), cols: max(cols, 1), rows: max(rows, 1), title: title,
		drawing: &drawing{ids: map[glyphKey]int{}},
		shown:   make([]rowState, max(rows, 1)), ids: map[uint64]int{}, seed: maphash.MakeSeed(), strips: make([][]rowChange, max(rows, 1)),
	}, nil
}

// Frame shows s from a time until the time of the next frame. If a recording changes too often, the
// error is ErrTooLarge.
func (a *SVGAnimation) Frame(s *screen.Snapshot, at time.Duration) error {
	v := viewOf(s)
	if !a.began {
		a.begin(v)
	}
	hashes := s.RowHashes()
	for i := range a.rows {
		var now rowState
		if i < len(hashes) {
			now.hash = hashes[i] ^ uint64(v.background)<<32 ^ uint64(v.cols)
		}
		if i == v.cursorRow {
			now.cursor = v.Cursor
			now.cursor.Blinking, now.cursor.Pending = false, false
		}
		if len(a.strips[i]) > 0 && a.shown[i] == now {
			continue
		}
		a.shown[i] = now
		id := -1
		if i < len(hashes) {
			id = a.row(s, i)
		}
		if a.states++; a.states > maxStates {
			return fmt.Errorf("more than %d changes of rows are %w of this format: end the recording earlier with --to", maxStates, ErrTooLarge)
		}
		a.strips[i] = append(a.strips[i], rowChange{at, id})
	}
	_, err := a.out.Write(nil)
	return err
}

// begin writes the head.
func (a *SVGAnimation) begin(v view) {
	a.began, a.background = true, v.background
	wide, high := a.cols*glyph.Width, a.rows*glyph.Height
	title := a.title
	if title == "" {
		title = v.title()
	}
	fmt.Fprintf(a.out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+"\n", wide, high)
	fmt.Fprintf(a.out, "<title>%s</title>\n", escape(title))
	fmt.Fprintf(a.out, `<rect width="%d" height="%d" fill="%s"/>`+"\n", wide, high, v.background)
}

// row writes the look of row i of s if it is new, and returns its number.
func (a *SVGAnimation) row(s *screen.Snapshot, i int) int {
	one := *s
	one.Lines, one.First = s.Lines[i:i+1], s.First+i
	v := viewOf(&one)
	d := a.drawing
	d.fills, d.marks = byColor{}, byColor{}
	d.defs.Reset()
	if v.background != a.background {
		d.fill(0, 0, a.cols, v.background)
	}
	paint(v, d)
	if d.defs.Len() > 0 {
		fmt.Fprintf(a.out, "<defs>\n%s</defs>\n", &d.defs)
	}
	var text strings.Builder
	out := bufio.NewWriter(&text)
	d.fills.write(out, `<path shape-rendering="crispEdges" fill="%s" d="%s"/>`)
	d.marks.write(out, `<g fill="%s">%s</g>`)
	_ = out.Flush() // writing to a string cannot fail
	if text.Len() == 0 {
		return -1
	}
	key := maphash.String(a.seed, text.String())
	id, known := a.ids[key]
	if !known {
		id = len(a.ids)
		a.ids[key] = id
		fmt.Fprintf(a.out, `<defs><g id="t%s">%s</g></defs>`+"\n", strconv.FormatInt(int64(id), 36), &text)
	}
	return id
}

// Close ends the animation at a time.
func (a *SVGAnimation) Close(end time.Duration) error {
	step := a.cols*glyph.Width + stripGap
	a.out.WriteString("<style>\n")
	for i, strip := range a.strips {
		if len(strip) < 2 {
			continue
		}
		fmt.Fprintf(a.out, ".r%d{animation:k%[1]d %.3fs step-end infinite}@keyframes k%[1]d{", i, end.Seconds())
		for n, change := range strip {
			fmt.Fprintf(a.out, "%s%%{transform:translateX(%dpx)}", percent(change.at, end), -n*step)
		}
		a.out.WriteString("}\n")
	}
	a.out.WriteString("</style>\n")
	for i, strip := range a.strips {
		fmt.Fprintf(a.out, `<g transform="translate(0 %d)"><g class="r%d">`, i*glyph.Height, i)
		for n, change := range strip {
			if change.id >= 0 {
				fmt.Fprintf(a.out, `<use href="#t%s" x="%d"/>`, strconv.FormatInt(int64(change.id), 36), n*step)
			}
		}
		a.out.WriteString("</g></g>\n")
	}
	a.out.WriteString("</svg>\n")
	return a.out.Flush()
}

// percent writes a time as a percentage of the whole.
func percent(at, whole time.Duration) string {
	if whole <= 0 {
		return "0"
	}
	return strconv.FormatFloat(100*float64(at)/float64(whole), 'f', -1, 32)
}
