//go:build !linux

package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// An openedFolder is a folder whose names package os reads.
type openedFolder struct{ f *os.File }

func openFolder(path string, noLink bool) (openedFolder, error) {
	if noLink {
		info, err := os.Lstat(path)
		if err == nil && !info.IsDir() {
			err = &os.PathError{Op: "open", Path: path, Err: errors.New("it is not a folder")}
		}
		if err != nil {
			return openedFolder{}, err
		}
	}
	f, err := os.Open(path)
	return openedFolder{f}, err
}

func (d openedFolder) close() { _ = d.f.Close() } // it was only read

// read adds the names in the folder. It reports whether there are more than the limit.
func (d openedFolder) read(s *scanner) (cut bool, err error) {
	for {
		some, err := d.f.ReadDir(4096)
		for _, e := range some {
			if len(s.all) == mostNames {
				return true, nil
			}
			addName(s, e.Name(), kindOfType(e.Type()))
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return false, err
		}
	}
}

func kindOfType(mode fs.FileMode) kindOf {
	switch mode.Type() {
	case 0:
		return isFile
	case fs.ModeDir:
		return isFolder
	case fs.ModeSymlink:
		return isLink
	}
	return isOther
}

// self returns the stamp of the folder, and its device.
func (d openedFolder) self() (s Stamp, device uint64) {
	if info, err := d.f.Stat(); err == nil {
		s, device = stampOf(info), deviceOf(info)
	}
	return s, device
}

// stamps returns the stamps of files in the folder. A file that it cannot look at has an empty
// stamp.
func (d openedFolder) stamps(names []string) []Stamp {
	all := make([]Stamp, len(names))
	for i, name := range names {
		switch info, err := os.Lstat(filepath.Join(d.f.Name(), name)); {
		case err == nil:
			all[i] = stampOf(info)
		case errors.Is(err, fs.ErrNotExist):
			all[i].Mode = gone
		}
	}
	return all
}
