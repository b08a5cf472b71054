package files

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// A snapshot is written as
//
//	the line of its version, its flags, how long it takes to settle, its label
//	each folder: its path, its stamp, its files with their stamps, and the targets of links among them
//	the folders that were not read, and the problems
//	a CRC-32 of all that
//
// where numbers are varints, lists begin with how many there are, and a stamp is the difference to the one before it.
const (
	tokenKind    = "devtools snapshot "
	tokenVersion = tokenKind + "1\n"
)

// What is read of a snapshot that others may have written.
const (
	mostTokenText    = 64 << 10 // bytes of a path
	mostTokenFolders = 4 << 20
	mostTokenFiles   = 16 << 20
	leastTokenFile   = 7 // bytes of a file: a name of one, and a stamp
)

// A tokenWriter writes until the first error.
type tokenWriter struct {
	to   *bufio.Writer
	sum  hash.Hash32
	n    int64
	err  error
	last Stamp
	room [binary.MaxVarintLen64]byte
}

func (w *tokenWriter) bytes(data []byte) {
	if w.err == nil {
		_, _ = w.sum.Write(data) // a hash takes everything
		_, w.err = w.to.Write(data)
		w.n += int64(len(data))
	}
}

func (w *tokenWriter) number(n int64) { w.bytes(binary.AppendVarint(w.room[:0], n)) }

func (w *tokenWriter) text(s string) {
	w.number(int64(len(s)))
	w.bytes([]byte(s))
}

func (w *tokenWriter) stamp(s Stamp) {
	w.number(s.Modified - w.last.Modified)
	w.number(s.Changed - s.Modified)
	w.number(s.Size)
	w.number(int64(s.Inode - w.last.Inode))
	w.number(int64(s.Mode))
	w.last = s
}

// WriteTo writes the snapshot in a form that [ReadSnapshot] reads.
func (s *Snapshot) WriteTo(to io.Writer) (int64, error) {
	if len(s.Label) > mostTokenText {
		return 0, errors.New("the label of a snapshot is longer than 64 KiB")
	}
	w := &tokenWriter{to: bufio.NewWriterSize(to, 64<<10), sum: crc32.NewIEEE()}
	w.bytes([]byte(tokenVersion))
	flags := int64(0)
	if s.Truncated {
		flags |= 1
	}
	if s.Unsettled {
		flags |= 2
	}
	w.number(flags)
	w.number(int64(s.settles))
	w.text(s.Label)
	w.number(int64(len(s.folders)))
	for i := range s.folders {
		f := &s.folders[i]
		w.text(f.path)
		w.stamp(f.self)
		w.number(int64(len(f.files)))
		for k, name := range f.files {
			w.text(name)
			w.stamp(f.stamps[k])
		}
		w.number(int64(len(f.targets)))
		for _, t := range f.targets {
			w.number(int64(t.file))
			w.stamp(t.stamp)
		}
	}
	w.number(int64(len(s.unread)))
	for _, folder := range s.unread {
		w.text(folder)
	}
	w.number(int64(len(s.Problems)))
	for _, p := range s.Problems {
		w.text(p.File)
		w.text(p.Reason)
	}
	w.bytes(binary.BigEndian.AppendUint32(nil, w.sum.Sum32()))
	if w.err == nil {
		w.err = w.to.Flush()
	}
	return w.n, w.err
}

// Errors of reading a snapshot.
var (
	ErrNoSnapshot = errors.New("it is no snapshot of devtools")
	errTorn       = errors.New("the snapshot is damaged or cut: take a new one")
)

// A tokenReader reads until the first error, from when on everything is zero.
type tokenReader struct {
	text string // that is left; names are pieces of it, which cost no memory of their own
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
	for i := 0; i < len(r.text) && i < binary.MaxVarintLen64 && r.err == nil; i++ {
		c := r.text[i]
		if n |= uint64(c&0x7f) << shift; c < 0x80 {
			r.text = r.text[i+1:]
			return int64(n>>1) ^ -int64(n&1)
		}
		shift += 7
	}
	r.fail(errTorn)
	return 0
}

// count reads how many there are of something.
func (r *tokenReader) count(most int) int {
	n := r.number()
	if n < 0 || n > int64(most) {
		r.fail(errTorn)
		return 0
	}
	return int(n)
}

func (r *tokenReader) name() string {
	n := r.count(mostTokenText)
	if n > len(r.text) {
		r.fail(errTorn)
	}
	if r.err != nil {
		return ""
	}
	name := r.text[:n]
	r.text = r.text[n:]
	return name
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

// ReadSnapshot reads what [Snapshot.WriteTo] wrote, and nothing may come after it. What it takes of memory is in
// proportion to what there is to read, whatever that claims.
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
	for range r.count(mostTokenFolders) {
		f := r.folder(mostTokenFiles - s.files)
		if n := len(s.folders); n > 0 && s.folders[n-1].path >= f.path {
			r.fail(errTorn)
		}
		if r.err != nil {
			return nil, r.err
		}
		s.folders = append(s.folders, f)
		s.files += len(f.files)
	}
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
	return s, nil
}

// folder reads a folder of at most so many files.
func (r *tokenReader) folder(most int) (f stamped) {
	f.path = r.name()
	f.self = r.stamp()
	if f.path != "." {
		for name := range strings.SplitSeq(f.path, "/") {
			r.check(name)
		}
	}
	n := r.count(most)
	room := min(n, len(r.text)/leastTokenFile) // what it claims may not be there
	f.files, f.stamps = make([]string, 0, room), make([]Stamp, 0, room)
	for range n {
		name := r.name()
		r.check(name)
		if n := len(f.files); n > 0 && f.files[n-1] >= name {
			r.fail(errTorn)
		}
		if f.files, f.stamps = append(f.files, name), append(f.stamps, r.stamp()); r.err != nil {
			return f
		}
	}
	for range r.count(len(f.files)) {
		t := target{r.count(len(f.files) - 1), r.stamp()}
		if n := len(f.targets); n > 0 && f.targets[n-1].file >= t.file || f.stamps[t.file].Mode&fs.ModeSymlink == 0 {
			r.fail(errTorn)
		}
		if f.targets = append(f.targets, t); r.err != nil {
			return f
		}
	}
	return f
}

// check has a name be one of a file.
func (r *tokenReader) check(name string) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		r.fail(errTorn)
	}
}
