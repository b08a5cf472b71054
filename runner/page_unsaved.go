package runner

import (
	"context"
	"errors"
	"fmt"

	"devtools/ledger/transcript"
	"devtools/runner/wire"
)

// isIncomplete reports whether a full disk has refused output that is not stored yet. The caller has called growing.
func (l *Log) isIncomplete() bool {
	if l.refused == 0 {
		return false
	}
	_, stored, err := l.reader.Bounds()
	return err == nil && l.refused > stored
}

// unsaved asks the holder for the output from offset on that a full disk did not take. at is the offset of the first byte
// that it still has.
func (l *Log) unsaved(offset int64) (data []byte, at int64, err error) {
	resp, err := wire.Ask(context.Background(), l.dir, l.session, wire.Request{Op: wire.OpRead, Offset: offset})
	if errors.Is(err, wire.ErrHolderGone) {
		return nil, offset, nil
	}
	if err != nil {
		return nil, offset, fmt.Errorf("output that is not stored, because the disk was full: %w", err)
	}
	return resp.Data, max(resp.Offset, offset), nil
}

// addUnsaved adds to a page what the disk did not take.
func (l *Log) addUnsaved(p Page) (Page, error) {
	data, at, err := l.unsaved(p.Next)
	if err != nil {
		return p, err
	}
	if at > p.Next {
		if len(p.Data) > 0 { // the bytes after a gap are for the next page
			return p, nil
		}
		p.Gap, p.Offset, p.Next = p.Gap+at-p.Next, at, at
	}
	data = data[:min(len(data), PageBytes-len(p.Data))]
	p.Data, p.Next = append(p.Data, data...), p.Next+int64(len(data))
	return p, nil
}

// readUnsaved fills p with output from offset on that the disk did not take. What nobody has stays as it is.
func (l *Log) readUnsaved(p []byte, offset int64) error {
	for len(p) > 0 {
		data, at, err := l.unsaved(offset)
		skipped := at - offset
		if err != nil || len(data) == 0 || skipped >= int64(len(p)) {
			return err
		}
		n := copy(p[skipped:], data)
		p, offset = p[skipped+int64(n):], at+int64(n)
	}
	return nil
}

// eachUnsaved passes the output from offset on that the disk did not take to write.
func (l *Log) eachUnsaved(ctx context.Context, offset int64, write func([]byte, transcript.Kind, int64) error) error {
	for ctx.Err() == nil {
		data, at, err := l.unsaved(offset)
		if err != nil || len(data) == 0 {
			return err
		}
		if err := write(data, transcript.Output, at); err != nil {
			return err
		}
		offset = at + int64(len(data))
	}
	return ctx.Err()
}
