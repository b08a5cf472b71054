package glyph

import (
	_ "embed" // for the data
	"math/bits"
	"slices"
	"sync"
)

// bitmapData is GNU Unifont, without what is drawn as geometry: the number of
// ranges of characters that follow each other, have the same width and are in
// one block; for each range how far its first is from that of the range before,
// and its number of characters times two, plus one where they are wide; for
// each block of 4096 characters the size of its bitmaps as they are
// compressed (RFC 1951); then those. All numbers are varints.
//
//go:embed data/bitmaps.bin
var bitmapData string

const (
	blockBits    = 12
	narrowBitmap = 16
	wideBitmap   = 32
)

// A bitmap is an image of 16 rows of 8 pixels, a byte each with the left pixel in
// its highest bit. A wide one has two such halves, the left first.
type bitmap []byte

// A bitmapRange is characters that follow each other.
type bitmapRange struct {
	first  rune
	count  int
	size   int // of a bitmap
	offset int // of the first bitmap in its block
}

// bitmapFont is the index of the bitmaps, and the blocks that unpack
// themselves when they are first needed.
type bitmapFont struct {
	ranges []bitmapRange
	blocks []func() packed
}

var unifont = sync.OnceValue(func() *bitmapFont {
	data := packed(bitmapData[:min(len(bitmapData), 1<<15)]) // longer than the index
	f := &bitmapFont{ranges: make([]bitmapRange, data.uvarint())}
	first, offset := 0, 0
	for i := range f.ranges {
		next := first + data.uvarint()
		if next>>blockBits != first>>blockBits {
			offset = 0
		}
		first = next
		count := data.uvarint()
		r := bitmapRange{rune(first), count >> 1, narrowBitmap, offset}
		if count&1 != 0 {
			r.size = wideBitmap
		}
		f.ranges[i] = r
		offset += r.count * r.size
	}
	last := f.ranges[len(f.ranges)-1]
	sizes := make([]int, last.first>>blockBits+1)
	for i := range sizes {
		sizes[i] = data.uvarint()
	}
	rest := bitmapData[min(len(bitmapData), 1<<15)-len(data):]
	for _, size := range sizes {
		block := rest[:size]
		f.blocks = append(f.blocks, sync.OnceValue(func() packed { return bytesOf(block) }))
		rest = rest[size:]
	}
	return f
})

// bitmapOf returns the image of r, nil where the font has none.
func bitmapOf(r rune) bitmap {
	f := unifont()
	i, found := slices.BinarySearchFunc(f.ranges, r, func(g bitmapRange, r rune) int { return int(g.first - r) })
	if !found {
		i--
	}
	if i < 0 || int(r-f.ranges[i].first) >= f.ranges[i].count {
		return nil
	}
	g := f.ranges[i]
	start := g.offset + int(r-g.first)*g.size
	return bitmap(f.blocks[r>>blockBits]()[start:][:g.size])
}

// rows returns the rows, the left pixel in the highest bit.
func (b bitmap) rows() (rows [narrowBitmap]uint32) {
	for y := range rows {
		for half := 0; half < len(b)/narrowBitmap; half++ {
			rows[y] |= uint32(b[half*narrowBitmap+y]) << (24 - 8*half)
		}
	}
	return rows
}

// path returns the pixels in the middle of so many columns, and only as wide
// as these. For bold ones each is set twice, side by side.
func (b bitmap) path(columns int, bold bool) Path {
	if b == nil {
		return nil
	}
	const top = Baseline - 14 // 14 of the rows are above the line
	cell, width := float32(columns*Width), float32(len(b)/2)
	scale := min(cell/width, 1)
	left := (cell - width*scale) / 2

	var p Path
	rows := b.rows()
	if bold {
		for y := range rows {
			rows[y] |= rows[y] >> 1
		}
	}
	for y := range rows {
		for rows[y] != 0 {
			x := bits.LeadingZeros32(rows[y])
			n := bits.LeadingZeros32(^(rows[y] << x))
			run := ^uint32(0) << (32 - n) >> x
			around := run<<1 | run | run>>1
			bottom := y
			for bottom < len(rows) && rows[bottom]&around == run {
				rows[bottom] &^= run
				bottom++
			}
			p.Rect(left+float32(x)*scale, float32(top+y), left+float32(x+n)*scale, float32(top+bottom))
		}
	}
	return p
}
