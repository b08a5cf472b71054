package ledger

import (
	"errors"
	"fmt"
	"hash/adler32"
	"io/fs"
	"strings"

	"devtools/ledger/codec"
)

// The file of the active set ends with a checksum of what comes before it. So a reader needs no lock: exchange may be
// overwriting the file that the reader has open, and the checksum then does not match. Older versions of devtools
// neither write nor read the member. Adler-32 needs no tables, which each process would make anew.
const (
	sumMember = `,"sum":"`
	sumForm   = sumMember + `%08x"}` + "\n"
	sumLength = len(sumMember) + 8 + len(`"}`+"\n")
)

// seal adds the checksum to a JSON object, as its last member.
func seal(object []byte) []byte {
	data := object[:len(object)-len("}")]
	return fmt.Appendf(data, sumForm, adler32.Checksum(data))
}

// sealed reports whether data ends with its checksum.
func sealed(data []byte) bool {
	at := len(data) - sumLength
	return at >= 0 && string(data[at:]) == fmt.Sprintf(sumForm, adler32.Checksum(data[:at]))
}

// hasSum reports whether data ends with a checksum, right or wrong.
func hasSum(data []byte) bool {
	at := len(data) - sumLength
	return at >= 0 && strings.HasPrefix(string(data[at:]), sumMember)
}

// readings is how often a reader tries to read the active set without the lock. While it reads, a second writer must
// come for one try to fail: one exchanges the files, the next overwrites the one that is open.
const readings = 2

// readUnlocked reads the active set for a caller without the lock. It takes the shared lock only if the file has no
// right checksum. If it cannot get the lock, it reads without it. Examples are a read-only file system, and a stopped
// process that has the lock.
func (d Dir) readUnlocked() (*Active, error) {
	for range readings {
		if data, err := readFile(d.file(activeFile)); err == nil && sealed(data) {
			return decodeActive(data)
		}
	}
	if unlock, err := share(d.file(lockFile)); err == nil {
		defer unlock()
	}
	return d.readActive()
}

// readActive reads the active set. The caller has the lock, if it can be had.
func (d Dir) readActive() (*Active, error) {
	data, err := readFile(d.file(activeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errDamaged // or the folder is new, and has no records either
	}
	if err != nil {
		return nil, err
	}
	if hasSum(data) && !sealed(data) {
		return nil, errDamaged
	}
	return decodeActive(data)
}

// An activeEntry is a session in the file of the active set, with its text.
type activeEntry struct {
	Session
	text []byte
}

// UnmarshalJSON parses a session and keeps its text.
func (e *activeEntry) UnmarshalJSON(text []byte) error {
	e.text = text
	return codec.Unmarshal(text, &e.Session)
}

// decodeActive parses the file of the active set.
func decodeActive(data []byte) (*Active, error) {
	var file struct {
		Version  int           `json:"version"`
		Sessions []activeEntry `json:"sessions"`
	}
	if codec.Unmarshal(data, &file) != nil {
		return nil, errDamaged
	}
	a := &Active{Version: file.Version, Sessions: make([]Session, 0, len(file.Sessions)), texts: make(map[string][]byte, len(file.Sessions))}
	for _, e := range file.Sessions {
		if e.plausible() {
			a.Sessions, a.texts[e.ID] = append(a.Sessions, e.Session), e.text
		}
	}
	return a, nil
}

// encode returns the content of the file of the active set. The text of a session that was not replaced by Put is
// copied, with all members that a newer devtools has written there.
func (a *Active) encode() ([]byte, error) {
	room := 1 << 10 // for one more session
	for _, text := range a.texts {
		room += len(text) + 1
	}
	data := fmt.Appendf(make([]byte, 0, room), `{"version":%d,"sessions":[`, version)
	for i := range a.Sessions {
		if i > 0 {
			data = append(data, ',')
		}
		s := &a.Sessions[i]
		if text, ok := a.texts[s.ID]; ok {
			data = append(data, text...)
			continue
		}
		text, err := codec.Marshal(s)
		if err != nil {
			return nil, err
		}
		data = append(data, text...)
	}
	return seal(append(data, "]}"...)), nil
}
