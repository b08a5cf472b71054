package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// OpenOwn works as Open, for a file that devtools itself has made. If the file has another name, such as in a copy of its folder that
// was made of hard links, and is to be written, the file at path first becomes a copy: the other name keeps what it has, and nothing
// is refused. The error is ErrLinked if such a file belongs to another user.
//
// A lock on the file before, flock(2), is no lock on the copy. So OpenOwn does not open files for writing that are locks as well, as
// long as somebody has the lock.
func OpenOwn(path string, flag int) (*os.File, fs.FileInfo, error) {
	f, info, err := Open(path, flag)
	if !errors.Is(err, ErrLinked) {
		return f, info, err
	}
	if err := Separate(path); err != nil {
		return nil, nil, err
	}
	return Open(path, flag)
}

// Separate makes the file at path a copy of itself, with mode 0600, if it has another name.
func Separate(path string) error {
	from, info, err := Open(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer from.Close()
	switch {
	case !linked(info):
		return nil
	case !Owned(info):
		return fmt.Errorf("%s: %w", path, ErrLinked)
	}
	to, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return ErrorAbout(err, path)
	}
	_, err = io.Copy(to, io.LimitReader(from, info.Size()))
	if err = errors.Join(err, to.Close()); err == nil {
		err = os.Rename(to.Name(), path)
	}
	if err != nil {
		_ = os.Remove(to.Name()) // the first error is the one to report
	}
	return ErrorAbout(err, path)
}
