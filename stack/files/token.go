package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A snapshot is written as
//
//	the line of its version, its flags, how long it takes to settle, its label
//	each folder: its path, its stamp, and as one text what is in it:
//		its files with their stamps, the targets of links among them, and 0 or, where these are all names that it has,
//		1 more than there are folders in it, and their names
//	the folders that were not read, and the problems
//	a CRC-32 of all that
//
// where numbers are varints, lists begin with how many there are, and a stamp is the difference to the one before it,
// for the first in a folder to that of the folder.
const (
	tokenKind    = "devtools snapshot "
	tokenVersion = tokenKind + "2\n"
)

// The limits of a snapshot that somebody else may have written.
const (
	mostTokenText    = 64 << 10 // bytes of a path
	mostTokenFolders = 4 << 20
	mostTokenFiles   = 16 << 20
	leastTokenFile   = 7  // bytes of a file: a name of one byte, and a stamp
	leastTokenFolder = 8  // bytes of a folder: its path, its stamp, and the length of its content
	tokenBatch       = 64 // folders that a worker reads at a time
)

// A tokenWriter appends to a text.
type tokenWriter struct {
	text []byte
	last Stamp
}

func (w *tokenWriter) number(n int64) { w.text = binary.AppendVarint(w.text, n) }

func (w *tokenWriter) name(s string) {
	w.number(int64(len(s)))
	w.text = append(w.text, s...)
}

func (w *tokenWriter) stamp(s Stamp) {
	w.number(s.Modified - w.last.Modified)
	w.number(s.Changed - s.Modified)
	w.number(s.Size)
	w.number(int64(s.Inode - w.last.Inode))
	w.number(int64(s.Mode))
	w.last = s
}

// WriteTo writes the snapshot for [ReadSnapshot].
func (s *Snapshot) WriteTo(to io.Writer) (int64, error) {
	if len(s.Label) > mostTokenText {
		return 0, errors.New("the label of a snapshot is longer than 64 KiB")
	}
	w := &tokenWriter{text: []byte(tokenVersion)}
	flags := int64(0)
	if s.Truncated {
		flags |= 1
	}
	if s.Unsettled {
		flags |= 2
	}
	w.number(flags)
	w.number(int64(s.settles))
	w.name(s.Label)
	w.number(int64(len(s.folders)))
	var in tokenWriter
	for i := range s.folders {
		f := &s.folders[i]
		w.name(f.path)
		w.stamp(f.self)
		in.text, in.last = in.text[:0], f.self
		in.folder(f)
		w.number(int64(len(in.text)))
		w.text = append(w.text, in.text...)
	}
	w.number(int64(len(s.unread)))
	for _, folder := range s.unread {
		w.name(folder)
	}
	w.number(int64(len(s.Problems)))
	for _, p := range s.Problems {
		w.name(p.File)
		w.name(p.Reason)
	}
	n, err := to.Write(binary.BigEndian.AppendUint32(w.text, crc32.ChecksumIEEE(w.text)))
	return int64(n), err
}

// folder writes the content of a folder.
func (w *tokenWriter) folder(f *folderState) {
	w.number(int64(len(f.files)))
	for k, name := range f.files {
		w.name(name)
		w.stamp(f.stamps[k])
	}
	w.number(int64(len(f.targets)))
	for _, t := range f.targets {
		w.number(int64(t.file))
		w.stamp(t.stamp)
	}
	if !f.whole {
		w.number(0)
		return
	}
	w.number(int64(len(f.folders)) + 1)
	for _, name := range f.folders {
		w.name(name)
	}
}

// Errors of reading a snapshot.
var (
	ErrNoSnapshot = errors.New("it is not a snapshot of devtools")
	errTorn       = errors.New("the snapshot is damaged or cut: take a new one")
)

// A tokenReader reads until the first error. Then every value is zero.
type tokenReader struct {
	text string // the rest; names are pieces of it, and need no memory of their own
	err  error
	last Stamp
}

func (r *tokenReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// number reads a varint.
func (r *tokenReader) number() int64 {
	n, shift := uint64(0), 0
	text := r.text[:min(len(r.text), binary.MaxVarintLen64)]
	if r.err != nil {
		text = ""
	}
	for i := range len(text) {
		c := text[i]
		if n |= uint64(c&0x7f) << shift; c < 0x80 {
			r.text = r.text[i+1:]
			return int64(n>>1) ^ -int64(n&1)
		}
		shift += 7
	}
	r.fail(errTorn)
	return 0
}

// count reads the number of entries of a list.
func (r *tokenReader) count(most int) int {
	n := r.number()
	if n < 0 || n > int64(most) {
		r.fail(errTorn)
		return 0
	}
	return int(n)
}

func (r *tokenReader) name() string { return r.piece(mostTokenText) }

// piece reads a text of at most most bytes.
func (r *tokenReader) piece(most int) string {
	n := r.count(most)
	if n > len(r.text) {
		r.fail(errTorn)
	}
	if r.err != nil {
		return ""
	}
	piece := r.text[:n]
	r.text = r.text[n:]
	return piece
}

func (r *tokenReader) stamp() (s Stamp) {
	s.Modified = r.last.Modified + r.number()
	s.Changed = s.Modified + r.number()
	s.Size = r.number()
	s.Inode = r.last.Inode + uint64(r.number())
	mode := r.number()
	if mode < 0 || mode > 1<<32-1 || s.Size < 0 {
		r.fail(errTorn)
	}
	s.Mode = fs.FileMode(mode)
	r.last = s
	return s
}

// ReadSnapshot reads what [Snapshot.WriteTo] wrote. Nothing may follow it. The memory that it takes
// is proportional to the input, whatever numbers the input contains.
func ReadSnapshot(from io.Reader) (*Snapshot, error) {
	data, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	all := string(data)
	switch {
	case strings.HasPrefix(all, tokenVersion):
	case strings.HasPrefix(all, tokenKind):
		return nil, fmt.Errorf("it is a snapshot of another version of devtools: take a new one (%w)", ErrNoSnapshot)
	default:
		return nil, ErrNoSnapshot
	}
	end := len(data) - crc32.Size
	if end < len(tokenVersion) || binary.BigEndian.Uint32(data[end:]) != crc32.ChecksumIEEE(data[:end]) {
		return nil, errTorn
	}
	r := &tokenReader{text: all[len(tokenVersion):end]}
	s := &Snapshot{}
	flags := r.number()
	s.Truncated, s.Unsettled = flags&1 != 0, flags&2 != 0
	s.settles = time.Duration(r.number())
	s.Label = r.name()
	inside := r.folders(s)
	for range r.count(mostTokenFolders) {
		if s.unread = append(s.unread, r.name()); r.err != nil {
			return nil, r.err
		}
	}
	for range r.count(mostTokenFolders) {
		if s.Problems = append(s.Problems, Problem{r.name(), r.name()}); r.err != nil {
			return nil, r.err
		}
	}
	if r.text != "" || flags>>2 != 0 || s.settles < 0 || !slices.IsSorted(s.unread) {
		r.fail(errTorn)
	}
	if r.err != nil {
		return nil, r.err
	}
	if err := s.fill(inside); err != nil {
		return nil, err
	}
	return s, nil
}

// folders reads the folders, and returns the texts with their content.
func (r *tokenReader) folders(s *Snapshot) (inside []string) {
	n := r.count(mostTokenFolders)
	if room := min(n, len(r.text)/leastTokenFolder); room > 0 { // the number may be too large
		s.folders, inside = make([]folderState, 0, room), make([]string, 0, room)
	}
	for range n {
		f := folderState{path: r.name(), self: r.stamp()}
		if f.path != "." {
			for name := range strings.SplitSeq(f.path, "/") {
				r.check(name)
			}
		}
		if n := len(s.folders); n > 0 && s.folders[n-1].path >= f.path {
			r.fail(errTorn)
		}
		if s.folders, inside = append(s.folders, f), append(inside, r.piece(len(r.text))); r.err != nil {
			return nil
		}
	}
	return inside
}

// fill reads the content of the folders, several at a time.
func (s *Snapshot) fill(inside []string) error {
	var group sync.WaitGroup
	var next, files atomic.Int64
	var torn atomic.Bool
	for range min(workers(), (len(inside)+tokenBatch-1)/tokenBatch) {
		group.Go(func() {
			for !torn.Load() {
				last := int(next.Add(tokenBatch))
				if last-tokenBatch >= len(inside) {
					return
				}
				for i := last - tokenBatch; i < min(last, len(inside)); i++ {
					f := &s.folders[i]
					r := tokenReader{text: inside[i], last: f.self}
					r.folder(f)
					if r.err != nil || r.text != "" || files.Add(int64(len(f.files))) > mostTokenFiles {
						torn.Store(true)
						return
					}
				}
			}
		})
	}
	group.Wait()
	s.files = int(files.Load())
	if torn.Load() {
		return errTorn
	}
	return nil
}

// folder reads the content of a folder.
func (r *tokenReader) folder(f *folderState) {
	n := r.count(mostTokenFiles)
	room := min(n, len(r.text)/leastTokenFile) // the number may be too large
	f.files, f.stamps = make([]string, 0, room), make([]Stamp, 0, room)
	for range n {
		name := r.next(f.files)
		if f.files, f.stamps = append(f.files, name), append(f.stamps, r.stamp()); r.err != nil {
			return
		}
	}
	for range r.count(len(f.files)) {
		t := target{r.count(len(f.files) - 1), r.stamp()}
		if n := len(f.targets); n > 0 && f.targets[n-1].file >= t.file || f.stamps[t.file].Mode&fs.ModeSymlink == 0 {
			r.fail(errTorn)
		}
		if f.targets = append(f.targets, t); r.err != nil {
			return
		}
	}
	below := r.count(mostTokenFolders + 1)
	f.whole = below > 0
	for range below - 1 {
		if f.folders = append(f.folders, r.next(f.folders)); r.err != nil {
			return
		}
	}
}

// next reads the name after these names.
func (r *tokenReader) next(names []string) string {
	name := r.name()
	r.check(name)
	if n := len(names); n > 0 && names[n-1] >= name {
		r.fail(errTorn)
	}
	return name
}

// check reports an error for a text that cannot be the name of a file.
func (r *tokenReader) check(name string) {
	if name == "" || name == "." || name == ".." || strings.IndexByte(name, '/') >= 0 || strings.IndexByte(name, 0) >= 0 {
		r.fail(errTorn)
	}
}
