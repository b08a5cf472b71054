package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strings"
	"unsafe"
)

// The file of the active set ends with a checksum of what comes before it. So a reader needs no lock: exchange may be
// overwriting the file that the reader has open, and the checksum then does not match. Older versions of devtools
// neither write nor read the member.
const (
	sumMember = `,"sum":"`
	sumForm   = sumMember + `%08x"}` + "\n"
	sumLength = len(sumMember) + 8 + len(`"}`+"\n")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal adds the checksum to a JSON object, as its last member.
func seal(object []byte) []byte {
	data := object[:len(object)-len("}")]
	return fmt.Appendf(data, sumForm, crc32.Checksum(data, castagnoli))
}

// sealed reports whether data ends with its checksum.
func sealed(data []byte) bool {
	at := len(data) - sumLength
	return at >= 0 && string(data[at:]) == fmt.Sprintf(sumForm, crc32.Checksum(data[:at], castagnoli))
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

// decodeActive parses the file of the active set.
func decodeActive(data []byte) (*Active, error) {
	a := &Active{}
	if !a.quick(unsafe.String(unsafe.SliceData(data), len(data))) { // nobody changes data any more
		*a = Active{Sessions: []Session{}}
		if json.Unmarshal(data, a) != nil {
			return nil, errDamaged
		}
	}
	a.Sessions = slices.DeleteFunc(a.Sessions, func(s Session) bool { return !s.plausible() })
	return a, nil
}

// quick parses the active set as devtools writes it, and keeps the texts of the sessions. Its result is that of
// encoding/json, but quick is many times faster: each start and each end of a session reads the whole set. It refuses
// any other form. Then the content of a has no meaning.
func (a *Active) quick(text string) bool {
	m := members{rest: strings.TrimSuffix(text, "\n")}
	if !m.has(`{"version":`) {
		return false
	}
	a.Version = int(m.number(intDigits))
	if !m.has(`,"sessions":[`) {
		return false
	}
	most := strings.Count(m.rest, `,"sessionId":"`)
	a.Sessions, a.texts = make([]Session, 0, most), make(map[string]string, most)
	for !m.refused && !m.has("]") {
		if len(a.Sessions) > 0 && !m.has(",") {
			return false
		}
		from := m.rest
		a.Sessions = append(a.Sessions, Session{})
		s := &a.Sessions[len(a.Sessions)-1]
		s.quick(&m)
		a.texts[s.ID] = from[:len(from)-len(m.rest)]
	}
	if m.has(sumMember[:len(sumMember)-1]) {
		m.text()
	}
	return m.rest == "}" && !m.refused && len(a.texts) == len(a.Sessions)
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
		text, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		data = append(data, text...)
	}
	return seal(append(data, "]}"...)), nil
}
