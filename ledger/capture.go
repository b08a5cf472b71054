package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// capturesFile is the list of a session's captures, in its folder.
const capturesFile = "captures.json"

// A Capture is a file that gets, or got, the output of a session.
type Capture struct {
	ID        string `json:"id"` // a number, from 1, within the session
	File      string `json:"captureFile"`
	Format    string `json:"format"`
	StartedAt Time   `json:"startedAt"`
	EndedAt   Time   `json:"endedAt,omitzero"`
	Offset    int64  `json:"offset"`            // of the first byte
	Bytes     int64  `json:"bytesCaptured"`     // of output; the file may be longer
	Gap       int64  `json:"gapBytes,omitzero"` // of output that was not kept until it could be read
	Reason    string `json:"reason,omitzero"`   // why it ended
	Failed    bool   `json:"failed,omitzero"`   // before it was told to, or the session ended
}

// Running reports whether the capture goes on.
func (c Capture) Running() bool { return c.EndedAt.IsZero() }

// CaptureFile returns the path of a capture that the session id begins at a time, where nobody named
// another; suffix ends its name.
func (d Dir) CaptureFile(id string, at time.Time, suffix string) string {
	return filepath.Join(d.path, sessionsDir, id, "capture-"+at.UTC().Format("20060102T150405.000Z")+suffix)
}

// SaveCaptures writes the list of the session's captures. Its holder alone does so.
func (d Dir) SaveCaptures(id string, list []Capture) error {
	data, err := json.Marshal(struct {
		Version  int       `json:"version"`
		Captures []Capture `json:"captures"`
	}{version, list})
	if err != nil {
		return err
	}
	return overwrite(filepath.Join(d.SessionFolder(id), capturesFile), append(data, '\n'))
}

// Captures returns the captures of the session id, oldest first.
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
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list.Captures, nil
}
