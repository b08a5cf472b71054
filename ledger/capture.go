package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"devtools/ledger/codec"
)

// capturesFile is the name of the list of a session's captures, in the session's folder.
const capturesFile = "captures.json"

// A Capture is a file that receives, or received, the output of a session.
type Capture struct {
	ID        string `json:"id"` // number within the session, from 1
	File      string `json:"captureFile"`
	Format    string `json:"format"`
	StartedAt Time   `json:"startedAt"`
	EndedAt   Time   `json:"endedAt,omitzero"`
	Offset    int64  `json:"offset"`            // offset of the first byte
	Bytes     int64  `json:"bytesCaptured"`     // bytes of output; the file may be longer
	Gap       int64  `json:"gapBytes,omitzero"` // bytes of output that were lost before they could be read
	Reason    string `json:"reason,omitzero"`   // why the capture ended
	Failed    bool   `json:"failed,omitzero"`   // ended before a request to stop and before the end of the session
}

// Running reports whether the capture goes on.
func (c Capture) Running() bool { return c.EndedAt.IsZero() }

// CaptureFile returns the path for a capture of session id that began at the given time, for a caller that names no
// file. The name ends with suffix.
func (d Dir) CaptureFile(id string, at time.Time, suffix string) string {
	return filepath.Join(d.Place(), sessionsDir, id, "capture-"+at.UTC().Format("20060102T150405.000Z")+suffix)
}

// SaveCaptures writes the list of the session's captures. Only the session's holder calls it.
func (d Dir) SaveCaptures(id string, list []Capture) error {
	data, err := codec.Marshal(struct {
		Version  int       `json:"version"`
		Captures []Capture `json:"captures"`
	}{version, list})
	if err != nil {
		return err
	}
	return overwrite(filepath.Join(d.SessionFolder(id), capturesFile), append(data, '\n'))
}

// Captures returns the captures of session id, oldest first.
func (d Dir) Captures(id string) ([]Capture, error) {
	path := filepath.Join(d.SessionFolder(id), capturesFile)
	if unlock, err := share(path); err == nil {
		defer unlock()
	}
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list struct{ Captures []Capture }
	if err := codec.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if slices.ContainsFunc(list.Captures, func(c Capture) bool { return c.Offset < 0 || c.Bytes < 0 || c.Gap < 0 }) {
		return nil, fmt.Errorf("%s: %w: it has negative numbers of bytes", path, errDamaged)
	}
	return list.Captures, nil
}
