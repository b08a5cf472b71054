package ledger

import (
	"bytes"
	"context"
	"errors"
	"hash/adler32"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"devtools/ledger/codec"
)

// The index of names says which sessions have left the active set under which name, so that a search for one name reads
// few records, however many there are. It has a line for each: the id, a blank and the name. Its last lines are
// in the file of the active set, which is written anyway when a session leaves; the others are in a file of their own.
//
// A session thus gets into the index in the same step in which it leaves the set, and the set says how long the file is,
// with a checksum. What differs from that is not believed. An older devtools drops the index when it writes the set, and
// a full disk may do so. Then the next search makes it anew.
type nameIndex struct {
	Bytes int64    `json:"bytes"` // length of the file; what follows is the remains of a crash
	Sum   uint32   `json:"sum"`   // Adler-32 of these bytes
	Last  []string `json:"last"`  // lines that are not in the file yet
}

const (
	indexFile   = "session-names"
	namesMember = `,"names":` // of the active set

	// lastLines is the maximum number of lines in the active set. To write a line to the file takes 8 µs, to copy one with the
	// active set 0.03 µs.
	lastLines = 32
)

// emptyIndex is the index of a folder without records.
var emptyIndex = []byte(`{"bytes":0,"sum":1,"last":[]}`)

func parseIndex(text []byte) (x nameIndex, err error) {
	if err = codec.Unmarshal(text, &x); err == nil && (x.Bytes < 0 || x.Bytes > maxContent) {
		err = errDamaged
	}
	return x, err
}

// leave makes Update add s to the index, if there is one. A record that somebody wrote by hand may have a name that no session
// can have: it is never in the index.
func (a *Active) leave(s Session) {
	if isID(s.ID) && CheckName(s.Name) == nil {
		a.left = append(a.left, s.ID+" "+s.Name)
	}
}

// indexLeft adds the sessions that have left the set to its index. If that fails, there is no index any more.
func (d Dir) indexLeft(a *Active) {
	if a.index == nil || len(a.left) == 0 {
		return
	}
	x, err := parseIndex(a.index)
	if x.Last = append(x.Last, a.left...); err == nil && len(x.Last) > lastLines {
		lines := strings.Join(x.Last, "\n") + "\n"
		err = d.writeIndex(x.Bytes, lines)
		x.Bytes, x.Sum, x.Last = x.Bytes+int64(len(lines)), extend(x.Sum, lines), []string{}
	}
	if err == nil {
		a.index, err = codec.Marshal(x)
	}
	if err != nil {
		a.index = nil
	}
}

// extend returns the Adler-32 of a text with the Adler-32 sum and more text behind it.
func extend(sum uint32, more string) uint32 {
	const prime = 65521
	a, b := sum&0xffff, sum>>16
	for i := range len(more) {
		a = (a + uint32(more[i])) % prime
		b = (b + a) % prime
	}
	return b<<16 | a
}

// writeIndex writes lines at an offset of the file of the index, and ends the file there. The caller has the lock.
func (d Dir) writeIndex(at int64, lines string) error {
	f, err := openFile(d.file(indexFile), os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(lines), at)
	return errors.Join(err, f.Truncate(at+int64(len(lines))), f.Close())
}

// RecentNames returns the names of the running sessions and of the last that have ended, newest first. It reads the file of
// the active set, and no other.
func (d Dir) RecentNames() (names []string, err error) {
	active, err := d.Active()
	if err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(active.Sessions) {
		names = append(names, s.Name)
	}
	x, err := parseIndex(active.index)
	if err != nil {
		return names, nil // there is no index yet
	}
	for _, line := range slices.Backward(x.Last) {
		_, name, _ := strings.Cut(line, " ")
		names = append(names, name)
	}
	return names, nil
}

// A nameList is the content of the index.
type nameList struct {
	file []byte   // lines
	last []string // the lines after them, without newlines
}

// readIndex returns the index of the active set, or nil if there is none that can be believed. Beside a writer it looks once more.
func (d Dir) readIndex(a *Active) *nameList {
	n := d.readIndexNow(a.index)
	if n == nil && a.index != nil {
		if data, err := d.readUnlocked(); err == nil {
			index, _ := tailOf(data)
			n = d.readIndexNow(index)
		}
	}
	return n
}

func (d Dir) readIndexNow(index []byte) *nameList {
	x, err := parseIndex(index)
	if err != nil {
		return nil
	}
	data, err := readFile(d.file(indexFile))
	if x.Bytes == 0 && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil || int64(len(data)) < x.Bytes || adler32.Checksum(data[:x.Bytes]) != x.Sum {
		return nil
	}
	return &nameList{data[:x.Bytes], x.Last}
}

// ids returns the ids of the sessions with this name.
func (n *nameList) ids(name string) (ids []string) {
	if CheckName(name) != nil {
		return nil
	}
	end := []byte(" " + name + "\n")
	for rest := n.file; ; {
		at := bytes.Index(rest, end)
		if at < 0 {
			break
		}
		ids = append(ids, string(rest[bytes.LastIndexByte(rest[:at], '\n')+1:at]))
		rest = rest[at+len(end):]
	}
	for _, line := range n.last {
		if id, ok := strings.CutSuffix(line, " "+name); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// lines returns all lines, without newlines.
func (n *nameList) lines() iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(string(n.file)) {
			if !yield(strings.TrimSuffix(line, "\n")) {
				return
			}
		}
		for _, line := range n.last {
			if !yield(line) {
				return
			}
		}
	}
}

// known returns the ids of all sessions of the index.
func (n *nameList) known() map[string]bool {
	ids := map[string]bool{}
	for line := range n.lines() {
		id, _, _ := strings.Cut(line, " ")
		ids[id] = true
	}
	return ids
}

// forgetNames removes from the index the sessions that were pruned. One whose record somebody has moved away stays: it may come
// back, and be the newest of its name. If that fails, there is no index any more.
func (d Dir) forgetNames(ctx context.Context, pruned []string) error {
	gone := map[string]bool{}
	for _, id := range pruned {
		gone[id] = true
	}
	return d.Update(ctx, func(a *Active) error {
		a.forget(gone)
		index := d.readIndexNow(a.index)
		if index == nil {
			return nil
		}
		var kept strings.Builder
		for line := range index.lines() {
			if id, _, _ := strings.Cut(line, " "); !gone[id] {
				kept.WriteString(line + "\n")
			}
		}
		err := d.writeIndex(0, kept.String())
		if err == nil {
			a.index, err = codec.Marshal(nameIndex{Bytes: int64(kept.Len()), Sum: extend(1, kept.String()), Last: []string{}})
		}
		if err != nil { // such as for a full disk, on which others take the room that was made
			a.index = nil
		}
		return nil
	})
}
