package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
)

const blockBits = 12 // a block holds 4096 characters

// A bitmap is 16 rows of 8 pixels, or two of them side by side.
type bitmap []byte

// readHex reads Unifont's own format: a character and its rows, in hexadecimal.
func readHex(name string) (map[rune]bitmap, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	bitmaps := map[rune]bitmap{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		code, rows, _ := strings.Cut(lines.Text(), ":")
		r, err := strconv.ParseUint(code, 16, 21)
		if err != nil {
			return nil, err
		}
		b, err := hex.DecodeString(rows)
		if err != nil {
			return nil, err
		}
		if len(b) == 32 {
			b = halves(b)
		}
		if r := rune(r); shown(r) {
			bitmaps[r] = b
		}
	}
	return bitmaps, lines.Err()
}

// shown reports whether r is a character with an image of its own.
func shown(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !drawn(r)
}

// halves returns the left halves of 16 rows, then the right halves.
func halves(rows []byte) bitmap {
	b := make(bitmap, 32)
	for i := range 16 {
		b[i], b[16+i] = rows[2*i], rows[2*i+1]
	}
	return b
}

// addPixels adds the characters of plane 1 from an OpenType font. The outlines of that font are made
// of pixels: 16 to the em, 14 of them above the baseline.
func addPixels(bitmaps map[rune]bitmap, name string) error {
	font, err := open(name)
	if err != nil {
		return err
	}
	pixel := float64(font.UnitsPerEm()) / 16
	for r := rune(0x10000); r < 0x20000; r++ {
		if !shown(r) {
			continue
		}
		segments, err := load(font, r)
		if err != nil {
			return fmt.Errorf("%s: %U: %w", name, r, err)
		}
		if segments == nil {
			continue
		}
		rows := make([]byte, 32)
		wide := false
		for y := range 16 {
			for x := range 16 {
				if inside(segments, (float64(x)+0.5)*pixel, (float64(y)+0.5-14)*pixel) {
					rows[2*y+x/8] |= 0x80 >> (x % 8)
					wide = wide || x >= 8
				}
			}
		}
		if bitmaps[r] = halves(rows); !wide {
			bitmaps[r] = bitmaps[r][:16]
		}
	}
	return nil
}

// inside reports whether a point is inside an outline of straight lines. It counts how often the
// outline winds around the point.
func inside(segments sfnt.Segments, x, y float64) bool {
	winding := 0
	at, start := segments[0].Args[0], segments[0].Args[0]
	edge := func(toX, toY float64) {
		fromX, fromY := float64(at.X), float64(at.Y)
		if (fromY <= y) != (toY <= y) && fromX+(y-fromY)/(toY-fromY)*(toX-fromX) > x {
			if fromY < toY {
				winding++
			} else {
				winding--
			}
		}
	}
	for _, s := range segments {
		if s.Op == sfnt.SegmentOpMoveTo {
			edge(float64(start.X), float64(start.Y))
			start = s.Args[0]
		} else {
			edge(float64(s.Args[0].X), float64(s.Args[0].Y))
		}
		at = s.Args[0]
	}
	edge(float64(start.X), float64(start.Y))
	return winding != 0
}

// packBitmaps packs bitmaps: an index of ranges, then compressed blocks.
func packBitmaps(bitmaps map[rune]bitmap) ([]byte, error) {
	var chars []rune
	for r := range bitmaps {
		chars = append(chars, r)
	}
	slices.Sort(chars)

	var index, blocks []byte
	ranges, last := 0, rune(0)
	for i := 0; i < len(chars); {
		first, n, size := chars[i], 1, len(bitmaps[chars[i]])
		for i+n < len(chars) && chars[i+n] == first+rune(n) && chars[i+n]>>blockBits == first>>blockBits &&
			len(bitmaps[chars[i+n]]) == size {
			n++
		}
		index = binary.AppendUvarint(index, uint64(first-last))
		index = binary.AppendUvarint(index, uint64(n<<1|size/32))
		ranges, last, i = ranges+1, first, i+n
	}
	sizes := []byte{}
	for i, b := rune(0), 0; b < len(chars); i++ {
		var block []byte
		for ; b < len(chars) && chars[b]>>blockBits == i; b++ {
			block = append(block, bitmaps[chars[b]]...)
		}
		packed, err := deflate(block)
		if err != nil {
			return nil, err
		}
		sizes = binary.AppendUvarint(sizes, uint64(len(packed)))
		blocks = append(blocks, packed...)
	}
	b := binary.AppendUvarint(nil, uint64(ranges))
	b = append(b, index...)
	return append(append(b, sizes...), blocks...), nil
}
