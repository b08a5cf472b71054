package render

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"io"
	"time"

	"devtools/screen"
)

// An APNG writes an animated PNG (the third edition of the PNG specification) that repeats for ever.
// Each picture has only the changes since the one before, in exact colours. A viewer without
// animation shows the first picture. The memory is that of two pictures, however long the animation
// is.
type APNG struct {
	chunks
	seeker io.Seeker // the same as out
	film   *film
	began  bool

	held     []byte // the compressed pixels of the picture before; the time that it is shown is not known yet
	area     image.Rectangle
	heldAt   time.Duration
	frames   uint32
	sequence uint32
	frameAt  int64 // the offset of the number of frames
	zlib     *zlib.Writer
}

// NewAPNG returns an APNG that writes to out, for screens of at most cols x rows. Close fills in the
// number of pictures. If the pictures would be too large, the error is ErrTooLarge.
func NewAPNG(out io.WriteSeeker, cols, rows int) (*APNG, error) {
	f, err := newFilm(cols, rows)
	if err != nil {
		return nil, err
	}
	return &APNG{chunks: chunks{out: out}, seeker: out, film: f, zlib: zlib.NewWriter(io.Discard)}, nil
}

// Frame shows s from a time until the time of the next frame.
func (a *APNG) Frame(s *screen.Snapshot, at time.Duration) error {
	area := a.film.next(s)
	if area.Empty() {
		return nil
	}
	a.release(at)
	if !a.began {
		a.head()
	}
	a.began, a.area, a.heldAt = true, area, at
	a.held = a.compress(area)
	return a.err
}

// Close ends the animation at a time.
func (a *APNG) Close(end time.Duration) error {
	a.release(end)
	a.chunk("IEND", nil)
	if a.err == nil {
		_, a.err = a.seeker.Seek(a.frameAt, io.SeekStart)
	}
	a.control()
	if a.err == nil {
		_, a.err = a.seeker.Seek(0, io.SeekEnd)
	}
	return a.err
}

// head writes the size and the place of the number of frames.
func (a *APNG) head() {
	a.chunks.head(a.film.image.Rect.Size(), pngRGB)
	if a.err == nil {
		a.frameAt, a.err = a.seeker.Seek(0, io.SeekCurrent)
	}
	a.control()
}

// control writes the number of frames, and that the animation repeats for ever.
func (a *APNG) control() {
	a.chunk("acTL", binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, a.frames), 0))
}

// release writes the held picture, which is shown until a time.
func (a *APNG) release(until time.Duration) {
	if a.held == nil {
		return
	}
	var frame []byte
	for _, v := range []int{int(a.sequence), a.area.Dx(), a.area.Dy(), a.area.Min.X, a.area.Min.Y} {
		frame = binary.BigEndian.AppendUint32(frame, uint32(v))
	}
	// Rounding from the start each time keeps the errors from adding up.
	unit, parts := time.Millisecond, uint16(1000)
	if until-a.heldAt > 65*time.Second {
		unit, parts = time.Second, 1
	}
	delay := min(until.Round(unit)-a.heldAt.Round(unit), 0xffff*unit) / unit
	frame = binary.BigEndian.AppendUint16(frame, uint16(max(delay, 0)))
	frame = binary.BigEndian.AppendUint16(frame, parts)
	a.chunk("fcTL", append(frame, 0, 0)) // the picture stays under the next one, and replaces the pixels before it
	a.sequence++
	if a.frames == 0 {
		a.chunk("IDAT", a.held)
	} else {
		a.chunk("fdAT", append(binary.BigEndian.AppendUint32(nil, a.sequence), a.held...))
		a.sequence++
	}
	a.frames++
	a.held = nil
}

// compress returns the pixels of an area as PNG has them, without filters: on a screen many pixels
// equal the ones before them, and few are nearly equal.
func (a *APNG) compress(area image.Rectangle) []byte {
	var b bytes.Buffer
	a.zlib.Reset(&b)
	row := make([]byte, 1+3*area.Dx())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		pixels := a.film.image.Pix[a.film.image.PixOffset(area.Min.X, y):]
		for x := range area.Dx() {
			copy(row[1+3*x:], pixels[4*x:4*x+3])
		}
		_, _ = a.zlib.Write(row) // writing to a buffer cannot fail
	}
	_ = a.zlib.Close()
	return b.Bytes()
}
