package glyph

import (
	_ "embed" // for the data
	"math/bits"
	"slices"
	"sync"
)

// bitmapData is GNU Unifont without the characters that are drawn as geometry. A range is a series
// of characters with the same width in one block of 4096. All numbers are varints: first the number
// of ranges; for each range the distance of its first character from that of the range before, and
// its number of characters times two, plus one if they are wide; for each block the compressed size
// of its bitmaps. The compressed bitmaps of each block (RFC 1951) follow.
//
//go:embed data/bitmaps.bin
var bitmapData string

const (
	blockBits    = 12
	narrowBitmap = 16
	wideBitmap   = 32
)

// A bitmap is an image of 16 rows of 8 pixels. Each row is a byte, with the left pixel in the
// highest bit. A wide bitmap has two such halves, the left one first.
type bitmap []byte

// A bitmapRange is a series of characters.
type bitmapRange struct {
	first  rune
	count  int
	size   int // of a bitmap
	offset int // of the first bitmap in its block
}

// bitmapFont is the index of the bitmaps, and the blocks. Each block is unpacked at its first use.
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

// bitmapOf returns the image of r, nil if the font has none.
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

// path returns the pixels, centred in a number of columns and cut to their width. A bold path has
// each pixel twice, side by side.
func (b bitmap) path(columns int, bold bool) Path {
	if b == nil {
		return nil
	}
	const top = Baseline - 14 // 14 of the rows are above the baseline
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
