package glyph

import (
	"compress/flate"
	_ "embed" // for the data
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"sync"
)

//go:generate go run ./pack

// The outlines of DejaVu Sans Mono without the characters that are drawn as geometry, compressed
// (RFC 1951). Numbers are varints: first the number of characters; for each its distance from the
// one before and the length of its outline; then the outlines. An outline is a list of segments. A
// segment is its kind as a byte, and for each of its points two signed varints: how far the point is
// to the right of the last point and below it. An advance has unitsPerCell of their unit.
var (
	//go:embed data/regular.bin
	regularData string
	//go:embed data/bold.bin
	boldData string

	regular  = sync.OnceValue(func() *outlines { return readOutlines(regularData) })
	boldface = sync.OnceValue(func() *outlines { return readOutlines(boldData) })
)

const unitsPerCell = 1233

// outlines is an unpacked font.
type outlines struct {
	chars  []rune // sorted
	ends   []int  // where in bodies the outline of each character ends
	bodies []byte
}

func readOutlines(packed string) *outlines {
	data := bytesOf(packed)
	count := data.uvarint()
	o := &outlines{chars: make([]rune, count), ends: make([]int, count)}
	char, end := 0, 0
	for i := range count {
		char += data.uvarint()
		end += data.uvarint()
		o.chars[i], o.ends[i] = rune(char), end
	}
	o.bodies = data
	return o
}

// path returns the outline of r in a cell.
func (o *outlines) path(r rune) (Path, bool) {
	i, ok := slices.BinarySearch(o.chars, r)
	if !ok {
		return nil, false
	}
	start := 0
	if i > 0 {
		start = o.ends[i-1]
	}
	var path Path
	var x, y int
	body := packed(o.bodies[start:o.ends[i]])
	point := func() Point {
		x += body.varint()
		y += body.varint()
		const scale = float32(Width) / unitsPerCell
		return Point{float32(x) * scale, Baseline + float32(y)*scale}
	}
	for len(body) > 0 {
		s := Segment{Op: Op(body[0])}
		body = body[1:]
		if s.Op == Quad {
			s.Control = point()
		}
		s.To = point()
		path = append(path, s)
	}
	return path, true
}

// packed is data that is read from the front.
type packed []byte

// bytesOf unpacks compressed data. The data is a part of the program, so that it cannot be damaged.
func bytesOf(compressed string) packed {
	data, err := io.ReadAll(flate.NewReader(strings.NewReader(compressed)))
	if err != nil {
		panic(err)
	}
	return data
}

func (p *packed) uvarint() int {
	v, n := binary.Uvarint(*p)
	*p = (*p)[n:]
	return int(v)
}

func (p *packed) varint() int {
	v, n := binary.Varint(*p)
	*p = (*p)[n:]
	return int(v)
}
