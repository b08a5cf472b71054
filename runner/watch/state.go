package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"time"

	"devtools/stack/files"
)

// A state is the sources as they were at one time.
type state struct {
	tops []*files.Snapshot // in the order of the tops of sources
}

// absent is the state of a folder that does not exist.
var absent = &files.Snapshot{}

// settles returns after what time one more change is sure to be visible. It returns 0 if one would be visible now.
func (s *state) settles() (after time.Duration) {
	for _, t := range s.tops {
		if t.Unsettled {
			after = max(after, t.Settles())
		}
	}
	return after
}

// labelled reports whether the state is of this many tops with that label.
func (s *state) labelled(label string, tops int) bool {
	if len(s.tops) != tops {
		return false
	}
	for _, t := range s.tops {
		if t.Label != label {
			return false
		}
	}
	return true
}

// len returns how many files are watched.
func (s *state) len() (n int) {
	for _, t := range s.tops {
		n += t.Len()
	}
	return n
}

// write writes the state in a form that read reads: each snapshot follows its length.
func (s *state) write(to io.Writer) error {
	var b bytes.Buffer
	for _, t := range s.tops {
		b.Reset()
		if _, err := t.WriteTo(&b); err != nil {
			return err
		}
		if _, err := to.Write(binary.BigEndian.AppendUint64(nil, uint64(b.Len()))); err != nil {
			return err
		}
		if _, err := b.WriteTo(to); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) read(from io.Reader) error {
	for {
		var size [8]byte
		switch _, err := io.ReadFull(from, size[:]); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		n := int64(binary.BigEndian.Uint64(size[:]) & math.MaxInt64)
		t, err := files.ReadSnapshot(io.LimitReader(from, n))
		if err != nil {
			return err
		}
		s.tops = append(s.tops, t)
	}
}
