// Package regular opens files of a folder that is not trusted, and says how far up a workspace may reach. It opens regular files
// alone: anybody who can write to the folder may have put something else in the place of a file.
//
// It looks at the last part of a path. The folders above are the caller's to check: devtools has made them for its user alone, or
// has refused them, so that only the user can put a link in their place later. That is why nothing here needs openat2(2).
package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrOther reports something else in the place of a file: a link, a FIFO, a device or a folder.
var ErrOther = errors.New("not a file")

// ErrLinked reports a file that was to be written and has another name, link(2): what is written would be there as well.
var ErrLinked = errors.New("has a second name (a hard link)")

// Open opens a file as os.OpenFile does, with mode 0600 for a new one. It neither follows a symbolic link nor waits for the
// other end of a FIFO. The error is ErrOther if path is not a regular file,
// and ErrLinked for writing to one with another name. A file that is refused is not truncated.
func Open(path string, flag int) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, flag&^os.O_TRUNC|NoFollow|NonBlock, 0o600)
	if errors.Is(err, fs.ErrNotExist) && NoFollow != 0 { // not even a link
		return nil, nil, err
	}
	if err != nil {
		if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s: %w", path, ErrOther)
		}
		return nil, nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s: %w", path, ErrOther)
	case flag&(os.O_WRONLY|os.O_RDWR) != 0 && linked(info):
		err = fmt.Errorf("%s: %w", path, ErrLinked)
	case flag&os.O_TRUNC != 0 && info.Size() > 0:
		if err = f.Truncate(0); err == nil {
			info, err = f.Stat()
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// ErrorAbout returns err, about a file that was to take the place of the one at path, as an error about that one: people do
// not know the other.
func ErrorAbout(err error, path string) error {
	if about, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: about.Op, Path: path, Err: about.Err}
	}
	return err
}

// OpenFolder opens a folder for listing. It neither follows a symbolic link nor waits for the other end of a FIFO.
func OpenFolder(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|directory|NoFollow, 0)
}

// Replace gives the file at path a new content and mode in one step: whatever ends this process, the file has the old or the new content.
func Replace(path string, content []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return ErrorAbout(err, path)
	}
	defer os.Remove(f.Name()) // it is not there any more after the renaming
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return ErrorAbout(err, path)
	}
	return os.Rename(f.Name(), path)
}
