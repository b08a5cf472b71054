package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The segments of an outline, as package glyph knows them.
const (
	move = iota + 1
	line
	quad
)

// packOutlines returns the outlines of a TrueType font, packed.
func packOutlines(name string) ([]byte, error) {
	font, err := open(name)
	if err != nil {
		return nil, err
	}
	var index, bodies []byte
	last, count := rune(0), 0
	for r := rune(' ' + 1); r <= unicode.MaxRune; r++ {
		if drawn(r) {
			continue
		}
		segments, err := load(font, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %U: %w", name, r, err)
		}
		if segments == nil {
			continue
		}
		body, err := packSegments(segments)
		if err != nil {
			return nil, fmt.Errorf("%s: %U: %w", name, r, err)
		}
		index = binary.AppendUvarint(index, uint64(r-last))
		index = binary.AppendUvarint(index, uint64(len(body)))
		bodies = append(bodies, body...)
		last, count = r, count+1
	}
	b := binary.AppendUvarint(nil, uint64(count))
	b = append(b, index...)
	return deflate(append(b, bodies...))
}

// drawn reports whether package glyph draws r as geometry.
func drawn(r rune) bool {
	return r >= 0x2500 && r <= 0x259f || r >= 0x2800 && r <= 0x28ff || r >= 0xe0b0 && r <= 0xe0b3
}

func open(name string) (*sfnt.Font, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return sfnt.Parse(data)
}

// load returns the outline of r in units of the font, nil if there is none.
func load(font *sfnt.Font, r rune) (sfnt.Segments, error) {
	var buf sfnt.Buffer
	i, err := font.GlyphIndex(&buf, r)
	if i == 0 || err != nil {
		return nil, err
	}
	return font.LoadGlyph(&buf, i, fixed.Int26_6(font.UnitsPerEm()), nil)
}

// packSegments packs an outline: for each segment its kind, and the distance of its points from the
// point before.
func packSegments(segments sfnt.Segments) ([]byte, error) {
	var b []byte
	var at, start fixed.Point26_6
	for i, s := range segments {
		var op byte
		var points []fixed.Point26_6
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			op, points, start = move, s.Args[:1], s.Args[0]
		case sfnt.SegmentOpLineTo:
			op, points = line, s.Args[:1]
			closing := i+1 == len(segments) || segments[i+1].Op == sfnt.SegmentOpMoveTo
			if closing && s.Args[0] == start {
				continue // contours are closed anyway
			}
		case sfnt.SegmentOpQuadTo:
			op, points = quad, s.Args[:2]
		default:
			return nil, fmt.Errorf("unknown segment kind %d", s.Op)
		}
		b = append(b, op)
		for _, p := range points {
			b = binary.AppendVarint(b, int64(p.X-at.X))
			b = binary.AppendVarint(b, int64(p.Y-at.Y))
			at = p
		}
	}
	return b, nil
}
