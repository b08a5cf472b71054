package render

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"image/draw"
	"io"

	"golang.org/x/image/vector"

	"devtools/screen"
	"devtools/screen/render/glyph"
)

// PNG writes a picture of s, in which a cell has 10 x 20 pixels. If the picture would have more than
// 64 megapixels, the error is ErrTooLarge.
func PNG(w io.Writer, s *screen.Snapshot) error {
	v, err := pictureOf(s)
	if err != nil {
		return err
	}
	b := &bitmap{
		image: image.NewRGBA(image.Rect(0, 0, max(v.cols, 1)*glyph.Width, max(len(v.Lines), 1)*glyph.Height)),
		masks: map[glyphKey]mask{},
	}
	draw.Draw(b.image, b.image.Rect, image.NewUniform(rgba(v.background)), image.Point{}, draw.Src)
	paint(v, b)
	c := chunks{out: w}
	if few := indexed(b.image); few != nil {
		c.head(b.image.Rect.Size(), pngIndexed)
		c.chunk("PLTE", paletteOf(few))
		c.chunk("IDAT", deflated(few.Pix, few.Stride, 1, 1))
	} else {
		c.head(b.image.Rect.Size(), pngRGB)
		c.chunk("IDAT", deflated(b.image.Pix, b.image.Stride, 4, 3))
	}
	c.chunk("IEND", nil)
	return c.err
}

// paletteOf returns the colours of a picture as PNG has them.
func paletteOf(picture *image.Paletted) (colors []byte) {
	for _, c := range picture.Palette {
		r, g, b, _ := c.RGBA()
		colors = append(colors, byte(r>>8), byte(g>>8), byte(b>>8))
	}
	return colors
}

// deflated returns compressed pixels as PNG has them, without filters: on a screen many pixels equal the
// ones before them. Of each pixel in pix, which has size bytes, it takes the first used.
func deflated(pix []byte, stride, size, used int) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	row := make([]byte, 1+stride/size*used)
	for ; len(pix) > 0; pix = pix[stride:] {
		for x := range stride / size {
			copy(row[1+x*used:], pix[x*size:][:used])
		}
		_, _ = w.Write(row) // writing to a buffer cannot fail
	}
	_ = w.Close()
	return b.Bytes()
}

// indexed returns the picture with a palette, which is smaller and faster to write. It returns nil
// if there are too many colours. Masks have few levels so that this is rare.
func indexed(picture *image.RGBA) *image.Paletted {
	few := image.NewPaletted(picture.Rect, nil)
	known := map[color.RGBA]uint8{}
	var last color.RGBA // transparent, unlike every pixel
	var index uint8
	for i := range few.Pix {
		pixel := picture.Pix[4*i : 4*i+4 : 4*i+4]
		if c := (color.RGBA{pixel[0], pixel[1], pixel[2], pixel[3]}); c != last {
			var ok bool
			if index, ok = known[c]; !ok {
				if len(known) == 256 {
					return nil
				}
				index = uint8(len(known))
				known[c] = index
				few.Palette = append(few.Palette, c)
			}
			last = c
		}
		few.Pix[i] = index
	}
	return few
}

func rgba(c screen.Color) color.RGBA {
	r, g, b, _ := c.RGB()
	return color.RGBA{r, g, b, 255}
}

// A glyphKey is what the image of a cell's text depends on.
type glyphKey struct {
	text         string
	columns      int
	bold, italic bool
}

func keyOf(c screen.Cell) glyphKey {
	return glyphKey{c.Text, c.Width, c.Style.Has(screen.Bold), c.Style.Has(screen.Italic)}
}

// A mask says how much of each pixel is covered, in 16 levels.
type mask struct {
	alpha   *image.Alpha // its origin is that of the cell
	opacity float32
}

// A bitmap is a canvas of pixels.
type bitmap struct {
	image *image.RGBA
	masks map[glyphKey]mask
}

func (b *bitmap) fill(row, col, columns int, color screen.Color) {
	area := image.Rect(0, 0, columns*glyph.Width, glyph.Height).Add(corner(row, col))
	draw.Draw(b.image, area, image.NewUniform(rgba(color)), image.Point{}, draw.Src)
}

func (b *bitmap) path(row, col int, path glyph.Path, color screen.Color) {
	right := float32(0)
	for _, s := range path {
		right = max(right, s.To.X)
	}
	b.blend(corner(row, col), mask{cover(path, int(right)), 1}, color)
}

func (b *bitmap) glyph(row int, c screen.Cell, color screen.Color) {
	key := keyOf(c)
	m, ok := b.masks[key]
	if !ok {
		g := glyph.Of(key.text, key.columns, key.bold, key.italic)
		m = mask{cover(g.Path, key.columns*glyph.Width), g.Opacity}
		b.masks[key] = m
	}
	b.blend(corner(row, c.Col), m, color)
}

// corner returns the top left of a cell.
func corner(row, col int) image.Point { return image.Pt(col*glyph.Width, row*glyph.Height) }

// cover returns how much a path covers of each pixel of a cell with this width, and of pixels around
// it.
func cover(path glyph.Path, width int) *image.Alpha {
	const around = glyph.Width / 2
	alpha := image.NewAlpha(image.Rect(-around, -around, width+around, glyph.Height+around))
	r := vector.NewRasterizer(alpha.Rect.Dx(), alpha.Rect.Dy())
	for _, s := range path {
		x, y := s.To.X+around, s.To.Y+around
		switch s.Op {
		case glyph.Move:
			r.ClosePath()
			r.MoveTo(x, y)
		case glyph.Line:
			r.LineTo(x, y)
		case glyph.Quad:
			r.QuadTo(s.Control.X+around, s.Control.Y+around, x, y)
		}
	}
	r.ClosePath()
	r.DrawOp = draw.Src
	r.Draw(alpha, alpha.Rect, image.Opaque, image.Point{})
	const level = 255 / 15
	for i, a := range alpha.Pix {
		alpha.Pix[i] = uint8((int(a) + level/2) / level * level)
	}
	return alpha
}

// blend paints the pixels that a mask covers in a colour.
func (b *bitmap) blend(at image.Point, m mask, color screen.Color) {
	red, green, blue, _ := color.RGB()
	area := m.alpha.Rect.Add(at).Intersect(b.image.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		covered := m.alpha.Pix[m.alpha.PixOffset(area.Min.X-at.X, y-at.Y):][:area.Dx()]
		pixels := b.image.Pix[b.image.PixOffset(area.Min.X, y):]
		for i, a := range covered {
			if a == 0 {
				continue
			}
			if m.opacity < 1 {
				a = uint8(float32(a)*m.opacity + 0.5)
			}
			pixel := pixels[4*i : 4*i+3 : 4*i+3]
			pixel[0] = mix(pixel[0], red, a)
			pixel[1] = mix(pixel[1], green, a)
			pixel[2] = mix(pixel[2], blue, a)
		}
	}
}

// mix returns the value of a byte that was old, after new covers a of 255 of it.
func mix(old, new, a uint8) uint8 {
	return uint8((int(old)*(255-int(a)) + int(new)*int(a) + 127) / 255)
}
