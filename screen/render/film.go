package render

import (
	"fmt"
	"image"
	"image/draw"

	"devtools/screen"
	"devtools/screen/render/glyph"
)

// maxMasks is the most glyphs that a film remembers.
const maxMasks = 4096

// A film paints the pictures of an animation, one after the other, on one canvas. It paints only the
// rows that differ from the picture before. The pixels are the same as those of PNG.
type film struct {
	bitmap
	cols, rows int
	last       *image.RGBA // the picture before
	shown      *view
	hashes     []uint64 // of its rows
}

// newFilm returns a film for screens of at most cols x rows.
func newFilm(cols, rows int) (*film, error) {
	area := image.Rect(0, 0, max(cols, 1)*glyph.Width, max(rows, 1)*glyph.Height)
	if pixels := int64(area.Dx()) * int64(area.Dy()); pixels > maxPixels/4 {
		return nil, fmt.Errorf("%d rows of %d columns are %w in motion", rows, cols, ErrTooLarge)
	}
	return &film{
		bitmap: bitmap{image: image.NewRGBA(area), masks: map[glyphKey]mask{}},
		cols:   cols, rows: rows,
		last: image.NewRGBA(area),
	}, nil
}

// next paints a picture. It returns the smallest area that differs from the picture before, or the
// whole area of the first one.
func (f *film) next(s *screen.Snapshot) image.Rectangle {
	v, hashes := viewOf(s), s.RowHashes()
	from, to := f.changed(v, hashes)
	if f.shown == nil {
		from, to = 0, f.rows
	}
	if from >= to {
		return image.Rectangle{}
	}
	if len(f.masks) > maxMasks {
		clear(f.masks)
	}
	all := f.image
	// Letters may be higher than their cells: the rows above and below may change too.
	band := image.Rect(0, (from-1)*glyph.Height, all.Rect.Dx(), (to+1)*glyph.Height).Intersect(all.Rect)
	draw.Draw(f.last, band, all, band.Min, draw.Src)
	f.image = all.SubImage(band).(*image.RGBA)
	draw.Draw(f.image, band, image.NewUniform(rgba(v.background)), image.Point{}, draw.Src)
	paintRows(v, max(from-2, 0), min(to+2, len(v.Lines)), &f.bitmap)
	f.image = all
	first := f.shown == nil
	f.shown, f.hashes = &v, hashes
	if first {
		return all.Rect
	}
	return difference(f.last, all, band)
}

// changed returns the rows that may differ from those of the picture before.
func (f *film) changed(v view, hashes []uint64) (from, to int) {
	before := f.shown
	if before == nil || before.Cols != v.Cols || before.Rows != v.Rows || before.background != v.background || before.cursorColor() != v.cursorColor() {
		return 0, f.rows
	}
	from, to = f.rows, 0
	add := func(row int) {
		if row >= 0 {
			from, to = min(from, row), max(to, row+1)
		}
	}
	for i, hash := range hashes {
		if i >= len(f.hashes) || f.hashes[i] != hash {
			add(i)
		}
	}
	was, is := before.Cursor, v.Cursor
	was.Blinking, was.Pending, is.Blinking, is.Pending = false, false, false, false
	if was != is {
		add(before.cursorRow)
		add(v.cursorRow)
	}
	return from, min(to, f.rows)
}

// difference returns the smallest rectangle in band that contains all differences between a and b
// there.
func difference(a, b *image.RGBA, band image.Rectangle) image.Rectangle {
	area := image.Rectangle{}
	for y := band.Min.Y; y < band.Max.Y; y++ {
		old, now := a.Pix[a.PixOffset(band.Min.X, y):][:4*band.Dx()], b.Pix[b.PixOffset(band.Min.X, y):][:4*band.Dx()]
		if string(old) == string(now) {
			continue
		}
		left, right := 0, len(now)
		for old[left] == now[left] {
			left++
		}
		for old[right-1] == now[right-1] {
			right--
		}
		area = area.Union(image.Rect(band.Min.X+left/4, y, band.Min.X+(right+3)/4, y+1))
	}
	return area
}
