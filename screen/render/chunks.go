package render

import (
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
)

// What the pixels of a PNG are, with 8 bits for each number.
const (
	pngRGB     = 2 // red, green and blue
	pngIndexed = 3 // the numbers of colours in a palette
)

// chunks writes the parts of a PNG.
type chunks struct {
	out io.Writer
	err error // the first error
}

// head writes the signature, the size, and what the pixels are.
func (c *chunks) head(size image.Point, pixels byte) {
	c.write([]byte("\x89PNG\r\n\x1a\n"))
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = binary.BigEndian.AppendUint32(header, uint32(size.Y))
	c.chunk("IHDR", append(header, 8, pixels, 0, 0, 0))
}

// chunk writes a chunk: length, type, data and checksum.
func (c *chunks) chunk(kind string, data []byte) {
	chunk := binary.BigEndian.AppendUint32(make([]byte, 0, len(data)+12), uint32(len(data)))
	chunk = append(append(chunk, kind...), data...)
	c.write(binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:])))
}

func (c *chunks) write(p []byte) {
	if c.err == nil {
		_, c.err = c.out.Write(p)
	}
}
