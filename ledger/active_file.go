package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"hash/adler32"
	"io/fs"
	"slices"
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

// seal adds the checksum to a JSON object, as its last member. It takes the object over.
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

// readUnlocked reads the file of the active set for a caller without the lock. It takes the shared lock only if the file
// has no right checksum. If it cannot get the lock, it reads without it. Examples are a read-only file system, and a
// stopped process that has the lock. The error is errDamaged when the file is not what devtools writes.
func (d Dir) readUnlocked() ([]byte, error) {
	for range readings {
		if data, err := readFile(d.file(activeFile)); err == nil && sealed(data) {
			return data, nil
		}
	}
	if unlock, err := share(d.file(lockFile)); err == nil {
		defer unlock()
	}
	return d.readLocked()
}

// readLocked reads the file of the active set. The caller has the lock, if it can be had.
func (d Dir) readLocked() ([]byte, error) {
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
	return data, nil
}

// The file has each session on a line of its own. So one session is found, and replaced, without parsing the others.
const (
	activeHead = `{"version":1,"sessions":[` // of this version
	activeTail = "]"
)

// entriesOf returns the texts of the sessions in the file. ok is false if this version did not write it.
func entriesOf(data []byte) (entries [][]byte, ok bool) {
	rest, ok := bytes.CutPrefix(data, []byte(activeHead+"\n"))
	for more := true; ok; {
		var line []byte
		line, rest, ok = bytes.Cut(rest, []byte("\n"))
		if bytes.HasPrefix(line, []byte(activeTail)) {
			return entries, len(rest) == 0 && (!more || len(entries) == 0)
		}
		if !more || !bytes.HasPrefix(line, []byte(`{"version":`)) {
			return nil, false
		}
		line, more = bytes.CutSuffix(line, []byte(","))
		entries = append(entries, line)
	}
	return nil, false
}

// decodeActive parses the file of the active set.
func decodeActive(data []byte) (*Active, error) {
	entries, ok := entriesOf(data)
	if !ok {
		return decodeOther(data)
	}
	a := &Active{Version: version, Sessions: make([]Session, 0, len(entries)), texts: make(map[string][]byte, len(entries))}
	a.index, a.past = tailOf(data)
	var s Session
	for _, text := range entries {
		s = Session{}
		if codec.Unmarshal(text, &s) != nil {
			return nil, errDamaged
		}
		if a.texts[s.ID] != nil { // the later one of two counts
			a.Sessions = slices.DeleteFunc(a.Sessions, func(earlier Session) bool { return earlier.ID == s.ID })
		}
		if s.plausible() {
			a.Sessions, a.texts[s.ID] = append(a.Sessions, s), text
		}
	}
	return a, nil
}

// decodeOther parses a file that another version has written.
func decodeOther(data []byte) (*Active, error) {
	a := &Active{Sessions: []Session{}}
	if codec.Unmarshal(data, a) != nil {
		return nil, errDamaged
	}
	a.Sessions = slices.DeleteFunc(a.Sessions, func(s Session) bool { return !s.plausible() })
	return a, nil
}

// decodeOne parses of the file only the session with this id, and keeps the others as texts. It relies on the checksum, which
// readLocked has compared: what nobody looks at must be what devtools has written.
func decodeOne(data []byte, id string) (*Active, error) {
	entries, ok := entriesOf(data)
	if !ok || !hasSum(data) {
		return decodeActive(data)
	}
	a := &Active{Version: version, others: entries, place: len(entries)}
	a.index, a.past = tailOf(data)
	for i, text := range entries {
		if !has(text, "sessionId", id) {
			continue
		}
		var s Session
		if codec.Unmarshal(text, &s) == nil && s.ID == id {
			a.Sessions, a.others, a.place = []Session{s}, slices.Delete(entries, i, i+1), i
			break
		}
	}
	return a, nil
}

// decodeNamed parses of the file only the sessions that may have this name or id.
func decodeNamed(data []byte, name string) (*Active, error) {
	entries, ok := entriesOf(data)
	if !ok {
		return decodeActive(data)
	}
	a := &Active{Version: version}
	for _, text := range entries {
		if !has(text, "name", name) && !has(text, "sessionId", name) {
			continue
		}
		var s Session
		if codec.Unmarshal(text, &s) == nil && s.plausible() {
			a.Sessions = append(a.Sessions, s)
		}
	}
	return a, nil
}

// has reports whether the text of a session may have this member with this value, which must be without quotes. Labels
// and processes have members of such names, too: whoever relies on it parses the text.
func has(text []byte, member, value string) bool {
	return bytes.Contains(text, []byte(`"`+member+`":"`+value+`"`))
}

// encode returns the content of the file of the active set. The text of a session that was not replaced by Put is
// copied, with all members that a newer devtools has written in it in a file of this form.
func (a *Active) encode() ([]byte, error) {
	entries := slices.Clone(a.others[:a.place])
	for i := range a.Sessions {
		text, ok := a.texts[a.Sessions[i].ID]
		if !ok {
			var err error
			if text, err = codec.Marshal(&a.Sessions[i]); err != nil {
				return nil, err
			}
		}
		entries = append(entries, text)
	}
	entries = append(entries, a.others[a.place:]...)
	length := len(activeHead) + len("\n") + len(activeTail) + len(namesMember) + len(a.index) + len(pastMember) + len(a.past) + len("}") + sumLength
	for _, text := range entries {
		length += len(text) + len(",\n")
	}
	data := append(make([]byte, 0, length), activeHead...)
	for i, text := range entries {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(append(data, '\n'), text...)
	}
	data = append(append(data, '\n'), activeTail...)
	if a.index != nil {
		data = append(append(data, namesMember...), a.index...)
	}
	if a.past != nil {
		data = append(append(data, pastMember...), a.past...)
	}
	return seal(append(data, '}')), nil
}
