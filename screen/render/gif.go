package render

import (
	"bufio"
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"time"

	"devtools/screen"
)

// A GIF writes an animated GIF (89a) that repeats for ever. Each picture has only the changes since
// the one before, and a palette of its own. Screens keep their exact colours if they have at most
// 255 at once. The memory is that of two pictures, however long the animation is.
type GIF struct {
	out   *bufio.Writer
	film  *film
	began bool

	held   []byte         // the picture before; the time that it is shown is not known yet
	heldAt int            // in hundredths of a second
	clear  bool           // it has a transparent colour, number 0
	counts map[uint32]int // scratch
}

// NewGIF returns a GIF that writes to w, for screens of at most cols x rows. If their pictures would
// be too large, the error is ErrTooLarge.
func NewGIF(w io.Writer, cols, rows int) (*GIF, error) {
	f, err := newFilm(cols, rows)
	if err != nil {
		return nil, err
	}
	if size := f.image.Rect.Size(); max(size.X, size.Y) > 0xffff {
		return nil, fmt.Errorf("%d x %d pixels are %w of this format", size.X, size.Y, ErrTooLarge)
	}
	return &GIF{out: bufio.NewWriter(w), film: f, counts: map[uint32]int{}}, nil
}

// hundredths returns a time in the unit of a GIF, a hundredth of a second.
func hundredths(at time.Duration) int {
	return int((at + 5*time.Millisecond) / (10 * time.Millisecond))
}

// Frame shows s from a time until the time of the next frame.
func (g *GIF) Frame(s *screen.Snapshot, at time.Duration) error {
	area := g.film.next(s)
	if area.Empty() {
		return nil
	}
	g.release(hundredths(at))
	if !g.began {
		g.head()
	}
	g.encode(area)
	g.began, g.heldAt = true, hundredths(at)
	return g.flushed()
}

// Close ends the animation at a time.
func (g *GIF) Close(end time.Duration) error {
	g.release(hundredths(end))
	g.out.WriteByte(0x3b)
	return g.out.Flush()
}

// flushed returns the first error of writing.
func (g *GIF) flushed() error {
	_, err := g.out.Write(nil)
	return err
}

// head writes the size, that there is no common palette, and that the animation repeats for ever.
func (g *GIF) head() {
	size := g.film.image.Rect.Size()
	g.out.WriteString("GIF89a")
	g.out.Write([]byte{byte(size.X), byte(size.X >> 8), byte(size.Y), byte(size.Y >> 8), 0x70, 0, 0})
	g.out.WriteString("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
}

// release writes the held picture, which is shown until a time. A GIF shows a picture for at most
// 655 s.
func (g *GIF) release(until int) {
	if g.held == nil {
		return
	}
	delay := min(max(until-g.heldAt, 0), 0xffff)
	control := []byte{0x21, 0xf9, 4, 1 << 2, byte(delay), byte(delay >> 8), 0, 0} // the picture stays under the next one
	if g.clear {
		control[3] |= 1
	}
	g.out.Write(control)
	g.out.Write(g.held)
	g.held = nil
}

// encode holds the changes in area.
func (g *GIF) encode(area image.Rectangle) {
	palette, pixels := g.index(area)
	bits := 1
	for 1<<bits < len(palette)/3 {
		bits++
	}
	palette = append(palette, make([]byte, 3<<bits-len(palette))...)
	var b bytes.Buffer
	b.WriteByte(0x2c)
	for _, v := range []int{area.Min.X, area.Min.Y, area.Dx(), area.Dy()} {
		_ = binary.Write(&b, binary.LittleEndian, uint16(v))
	}
	b.WriteByte(0x80 | byte(bits-1))
	b.Write(palette)
	literal := max(bits, 2)
	b.WriteByte(byte(literal))
	blocks := &subBlocks{out: &b}
	w := lzw.NewWriter(blocks, lzw.LSB, literal)
	_, _ = w.Write(pixels) // writing to a buffer cannot fail
	_ = w.Close()
	blocks.close()
	g.held = b.Bytes()
}

// index returns the palette, three bytes a colour, and the pixels of an area. Unchanged pixels are
// transparent, except in the first picture.
func (g *GIF) index(area image.Rectangle) (palette, pixels []byte) {
	now, last := g.film.image, g.film.last
	g.clear = g.began
	colors := make([]uint32, 0, area.Dx()*area.Dy())
	clear(g.counts)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row, old := now.Pix[now.PixOffset(area.Min.X, y):], last.Pix[last.PixOffset(area.Min.X, y):]
		for x := 0; x < 4*area.Dx(); x += 4 {
			color := uint32(row[x])<<16 | uint32(row[x+1])<<8 | uint32(row[x+2])
			if g.clear && color == uint32(old[x])<<16|uint32(old[x+1])<<8|uint32(old[x+2]) {
				colors = append(colors, unchanged)
				continue
			}
			colors = append(colors, color)
			g.counts[color]++
		}
	}
	most := 256
	if g.clear {
		palette = append(palette, 0, 0, 0)
		most--
	}
	first := uint8(len(palette) / 3)
	few, numbers := reduce(g.counts, most)
	for _, color := range few {
		palette = append(palette, byte(color>>16), byte(color>>8), byte(color))
	}
	pixels = make([]byte, len(colors))
	lastColor, number := uint32(unchanged), uint8(0)
	for i, color := range colors {
		if color != lastColor {
			lastColor, number = color, 0
			if color != unchanged {
				number = first + numbers[color]
			}
		}
		pixels[i] = number
	}
	return palette, pixels
}

// unchanged stands for a transparent pixel, and is not a colour.
const unchanged = 1 << 24

// subBlocks writes data in blocks of up to 255 bytes, with their lengths before them.
type subBlocks struct {
	out   *bytes.Buffer
	block [256]byte
	n     int
}

func (s *subBlocks) Write(p []byte) (int, error) {
	for _, c := range p {
		_ = s.WriteByte(c)
	}
	return len(p), nil
}

// WriteByte makes subBlocks a writer that compress/lzw does not buffer.
func (s *subBlocks) WriteByte(c byte) error {
	s.n++
	if s.block[s.n] = c; s.n == 255 {
		s.flush()
	}
	return nil
}

// Flush is a method that compress/lzw needs. It does nothing: blocks are only written when they are
// full.
func (s *subBlocks) Flush() error { return nil }

func (s *subBlocks) flush() {
	if s.n > 0 {
		s.block[0] = byte(s.n)
		s.out.Write(s.block[:s.n+1])
		s.n = 0
	}
}

// close writes the last block and the end.
func (s *subBlocks) close() {
	s.flush()
	s.out.WriteByte(0)
}
