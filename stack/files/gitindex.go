package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	mostIndex = 256 << 20 // bytes of an index
	mostPath  = 1 << 16   // bytes of a path
)

// A gitIndex holds the paths that git tracks, in the order of their bytes.
type gitIndex struct {
	text  []byte // all paths, one behind the other
	ends  []uint32
	mixed bool            // the paths are not in order yet
	links map[string]bool // the paths of submodules
}

func (x *gitIndex) path(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = x.ends[i-1]
	}
	return x.text[start:x.ends[i]]
}

// find returns the place of the first path that is not before path.
func (x *gitIndex) find(path string) int {
	low, high := 0, len(x.ends)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if string(x.path(middle)) < path {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// has reports whether git tracks the path, as a file or a submodule.
func (x *gitIndex) has(path string) bool {
	i := x.find(path)
	return i < len(x.ends) && string(x.path(i)) == path
}

// hasBelow reports whether git tracks a file in a folder. Its path ends with a slash.
func (x *gitIndex) hasBelow(folder string) bool {
	i := x.find(folder)
	return i < len(x.ends) && bytes.HasPrefix(x.path(i), []byte(folder))
}

// readIndex reads a git index of versions 2 to 4. If the index is damaged, the result has the
// entries before the damage, and there is an error. A missing index is empty. For a split index, the
// result has all entries of the shared part, also deleted ones.
func readIndex(file string, hash int) (*gitIndex, error) {
	x, shared, err := readIndexFile(file, hash)
	if err != nil || shared == "" {
		return x, err
	}
	base, _, err := readIndexFile(filepath.Join(filepath.Dir(file), "sharedindex."+shared), hash)
	if err != nil {
		return x, fmt.Errorf("sharedindex.%s: %w", shared, err)
	}
	for i := range x.ends {
		if p := x.path(i); len(p) > 0 { // an entry without a name replaces one of the shared index
			base.add(p)
		}
	}
	for link := range x.links {
		base.links[link] = true
	}
	return base.sorted(), nil
}

func readIndexFile(file string, hash int) (x *gitIndex, shared string, err error) {
	x = &gitIndex{links: map[string]bool{}}
	f, err := os.OpenFile(file, os.O_RDONLY|nonBlock, 0)
	if errors.Is(err, os.ErrNotExist) {
		return x, "", nil
	}
	if err != nil {
		return x, "", plain(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return x, "", plain(err)
	case !info.Mode().IsRegular():
		return x, "", errors.New("it is not a file")
	case info.Size() > mostIndex:
		return x, "", fmt.Errorf("it is longer than %d MiB: devtools does not know what git tracks", mostIndex>>20)
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return x, "", plain(err)
	}
	shared, err = x.parse(data[:n], hash)
	if x.mixed { // git writes its entries in order
		x = x.sorted()
	}
	return x, shared, err
}

var errIndex = errors.New("it is damaged: devtools knows only a part of what git tracks")

// parse reads the entries as git's index-format describes them, and returns the name of the shared
// index, or "".
func (x *gitIndex) parse(data []byte, hash int) (shared string, err error) {
	r := indexReader{hash: hash}
	count, err := r.header(data)
	if err != nil {
		return "", err
	}
	x.ends = make([]uint32, 0, min(count, int64(len(data)/64)))
	x.text = make([]byte, 0, len(data)/2)
	for range count {
		mode, ok := r.entry()
		if !ok || len(x.text)+len(r.path) > mostIndex {
			return "", errIndex
		}
		switch mode & 0o170000 {
		case 0o040000: // a sparse index has only the folder, and the disk nothing in it
			continue
		case 0o160000:
			x.links[string(r.path)] = true
		}
		x.add(r.path)
	}
	return r.extensions()
}

// An indexReader reads the bytes of an index.
type indexReader struct {
	data    []byte // the rest of the index
	hash    int    // the length of an object's name, in bytes
	version uint32
	path    []byte // the path of the last entry
}

// header reads the header, and returns the number of entries.
func (r *indexReader) header(data []byte) (count int64, err error) {
	if len(data) < 12 || string(data[:4]) != "DIRC" {
		return 0, errIndex
	}
	r.version = binary.BigEndian.Uint32(data[4:])
	if r.version < 2 || r.version > 4 {
		return 0, fmt.Errorf("its version %d is unknown: devtools does not know what git tracks", r.version)
	}
	r.data = data[12:]
	return int64(binary.BigEndian.Uint32(data[8:])), nil
}

// entry reads the mode and the path of an entry.
func (r *indexReader) entry() (mode uint32, ok bool) {
	size := 40 + r.hash + 2
	if len(r.data) < size {
		return 0, false
	}
	mode = binary.BigEndian.Uint32(r.data[24:])
	if r.version >= 3 && r.data[size-2]&0x40 != 0 { // extended flags follow
		size += 2
	}
	if len(r.data) < size {
		return 0, false
	}
	taken, ok := r.name(r.data[size:])
	size += taken
	if r.version < 4 {
		size = (size + 7) &^ 7 // padded with 1 to 8 bytes
	}
	if !ok || size > len(r.data) {
		return 0, false
	}
	r.data = r.data[size:]
	return mode, true
}

// name reads the path of an entry, and returns how many bytes it takes, with the zero at its end. In
// version 4 it begins with the number of bytes to drop from the path before.
func (r *indexReader) name(data []byte) (taken int, ok bool) {
	if r.version == 4 {
		drop, n := indexNumber(data)
		if n == 0 || drop > len(r.path) {
			return 0, false
		}
		r.path, data, taken = r.path[:len(r.path)-drop], data[n:], n
	} else {
		r.path = r.path[:0]
	}
	end := bytes.IndexByte(data[:min(len(data), mostPath)], 0)
	if end < 0 {
		return 0, false
	}
	r.path = append(r.path, data[:end]...)
	return taken + end + 1, len(r.path) <= mostPath
}

// extensions reads the extensions up to the checksum. It returns the name of the shared index, if
// one of them gives it.
func (r *indexReader) extensions() (shared string, err error) {
	for len(r.data) >= 8+r.hash {
		long := int64(binary.BigEndian.Uint32(r.data[4:]))
		if long > int64(len(r.data)-8) {
			return "", errIndex
		}
		size := int(long)
		if string(r.data[:4]) == "link" && size >= r.hash {
			if id := r.data[8 : 8+r.hash]; strings.Trim(string(id), "\x00") != "" {
				shared = fmt.Sprintf("%x", id)
			}
		}
		r.data = r.data[8+size:]
	}
	return shared, nil
}

// indexNumber reads a number with seven bits a byte, as in git's packs, and returns how many bytes
// it has. They are 0 if it is invalid.
func indexNumber(data []byte) (value, n int) {
	for n < len(data) && n < 4 {
		c := data[n]
		value |= int(c & 0x7f)
		n++
		if c&0x80 == 0 {
			return value, n
		}
		value = (value + 1) << 7
	}
	return 0, 0
}

// add appends a path, unless it is the last one already: a path in conflict has several entries.
func (x *gitIndex) add(path []byte) {
	if n := len(x.ends); n > 0 {
		switch order := bytes.Compare(x.path(n-1), path); {
		case order == 0:
			return
		case order > 0:
			x.mixed = true
		}
	}
	x.text = append(x.text, path...)
	x.ends = append(x.ends, uint32(len(x.text)))
}

func (x *gitIndex) sorted() *gitIndex {
	all := make([]int, len(x.ends))
	for i := range all {
		all[i] = i
	}
	slices.SortFunc(all, func(a, b int) int { return bytes.Compare(x.path(a), x.path(b)) })
	s := &gitIndex{links: x.links, text: make([]byte, 0, len(x.text)), ends: make([]uint32, 0, len(x.ends))}
	for _, i := range all {
		s.add(x.path(i))
	}
	return s
}
