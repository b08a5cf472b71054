package transcript

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"devtools/ledger/regular"
)

// A Place is where the files of a transcript are: a [Folder] on disk, or the [Memory] of the process that writes it. Several
// goroutines may use it to read; only the Writer changes it.
type Place interface {
	names() ([]string, error)
	listed() (Place, error) // the same place for many calls at once: what names finds costs only once
	// open opens a file for reading. The error is fs.ErrNotExist if there is none of this name.
	open(name string) (*os.File, error)
	stat(name string) (fs.FileInfo, error)
	create(name string) (file, error) // for appending
	remove(name string) error
	path(name string) string // "" in memory
}

// A file is a file of a transcript for its writer, who appends, and reads it again when it was removed.
type file interface {
	io.ReaderAt
	io.WriteCloser
}

// A Folder is a folder on disk. It must exist.
type Folder string

func (f Folder) names() ([]string, error) {
	folder, err := regular.OpenFolder(string(f))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.Readdirnames(-1)
}

func (f Folder) listed() (Place, error) { return f, nil }

func (f Folder) open(name string) (*os.File, error) {
	file, _, err := regular.Open(f.path(name), os.O_RDONLY)
	return file, err
}

func (f Folder) stat(name string) (fs.FileInfo, error) { return os.Lstat(f.path(name)) }

func (f Folder) create(name string) (file, error) {
	opened, err := os.OpenFile(f.path(name), os.O_RDWR|os.O_CREATE|os.O_APPEND|regular.NoFollow|regular.NonBlock, 0o600)
	if err != nil {
		return nil, err // not a file that is nil
	}
	return opened, nil
}

func (f Folder) remove(name string) error { return os.Remove(f.path(name)) }

func (f Folder) path(name string) string { return filepath.Join(string(f), name) }
