package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// MostBytes is the most bytes of a file that are read. No manifest that people write is longer.
const MostBytes = 1 << 20

// ErrTooLong reports that a file is longer than [MostBytes]. The data is its beginning.
var ErrTooLong = errors.New("it is longer than 1 MiB: only its beginning was read")

// A Reader reads files below a folder. Several goroutines may use it.
type Reader struct{ root *os.Root }

// NewReader returns a reader of the files below the folder top. The caller closes it.
func NewReader(top string) (*Reader, error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	return &Reader{root}, nil
}

// Close ends reading.
func (r *Reader) Close() error { return r.root.Close() }

// Read returns the content of a file, up to [MostBytes], without a byte order mark. The name has
// slashes. A file that is not regular is an error, and Read never waits for it. It follows links
// only within the folder. With [ErrTooLong] the data is the beginning of the file.
func (r *Reader) Read(name string) ([]byte, error) {
	name = filepath.FromSlash(name)
	f, err := r.root.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, unopened(err, func() (os.FileInfo, error) { return r.root.Stat(name) })
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := readAll(f)
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), err
}

// ModTime returns when a file was last written. The name has slashes.
func (r *Reader) ModTime(name string) (time.Time, error) {
	info, err := r.root.Stat(filepath.FromSlash(name))
	if err != nil {
		return time.Time{}, plain(err)
	}
	return info.ModTime(), nil
}

// readOutside reads a file by its path on this system, as [Reader.Read] does. It follows all links.
func readOutside(path string) ([]byte, error) { return readFile(path, 0) }

// readHere is readOutside for a path whose last name must not be a link.
func readHere(path string) ([]byte, error) { return readFile(path, noFollow) }

func readFile(path string, flags int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlock|flags, 0)
	if err != nil {
		return nil, unopened(err, func() (os.FileInfo, error) { return os.Lstat(path) })
	}
	defer func() { _ = f.Close() }() // it was only read
	return readAll(f)
}

// unopened explains why a file could not be opened: a socket never can.
func unopened(err error, stat func() (os.FileInfo, error)) error {
	if info, errStat := stat(); errStat == nil && info.Mode()&fs.ModeSocket != 0 {
		return notFile(info)
	}
	return plain(err)
}

func notFile(info os.FileInfo) error { return fmt.Errorf("it is not a file (%s)", info.Mode().Type()) }

// readAll returns the beginning of a regular file.
func readAll(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, plain(err)
	case info.IsDir():
		return nil, errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return nil, notFile(info)
	}
	// This is room for the whole file. If the file grows meanwhile, more is read, up to MostBytes.
	data := bytes.NewBuffer(make([]byte, 0, min(info.Size(), MostBytes)+bytes.MinRead))
	_, err = data.ReadFrom(io.LimitReader(f, MostBytes+1))
	if err != nil {
		return nil, plain(err)
	}
	text := data.Bytes()
	if len(text) > MostBytes {
		text, err = text[:MostBytes], ErrTooLong
	}
	return text, err
}

// Glob returns the names of the files that match a pattern (see [fs.Glob]). An invalid pattern
// matches none.
func (r *Reader) Glob(pattern string) []string {
	names, err := fs.Glob(r.root.FS(), pattern)
	if err != nil {
		return nil
	}
	return names
}

// plain removes the path from an error.
func plain(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
