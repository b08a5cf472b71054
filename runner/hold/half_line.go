package hold

import "bytes"

// maxHalfLine is how much of a line is kept, in bytes: its end.
const maxHalfLine = 64 << 10

// A halfLine is what was typed since the last key that ends a line. A policy judges it with what is typed behind it. It is in the
// memory of the holder alone: it may be a part of a secret.
type halfLine []byte

// take takes what was typed.
func (h *halfLine) take(data []byte) {
	if end := bytes.LastIndexAny(data, "\r\n\x03"); end >= 0 {
		*h, data = nil, data[end+1:]
	}
	line := append(*h, data...)
	*h = line[max(0, len(line)-maxHalfLine):]
}
