package transcript

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"devtools/ledger/regular"
)

// A memory is the place of a transcript whose files no folder has. The writer keeps them open, and readers open the writer's
// descriptors, proc_pid_fd(5).
type memory struct {
	folder string              // of the writer in procfs
	id     string              // session
	lives  func() bool         // the writer is not gone
	gone   error               // says that it is
	kept   map[string]*os.File // the files, in the writer's process
	paths  map[string]string   // what list has returned; nil if it is to look
}

// Memory returns the place of the transcript of session id in the memory of its writer, whose folder in procfs is given. It is gone with that
// process, but a reader goes on with a file that it has open. When lives says that the writer is gone, the error is gone.
// Where [regular.HasMemory] is false, nothing can be written there.
func Memory(folder, id string, lives func() bool, gone error) Place {
	return memory{folder: folder, id: id, lives: lives, gone: gone, kept: map[string]*os.File{}}
}

// check returns an error if the writer may have lost its files. When a process ends, the kernel takes its memory, and with it
// its exe, before its descriptors, and both before its pid.
func (m memory) check() error {
	if m.lives() {
		_, err := os.Readlink(m.folder + "/exe")
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return m.gone
}

// whole returns the name that a file of the transcript has among all files in memory.
func (m memory) whole(name string) string { return "devtools:" + m.id + ":" + name }

// list returns the files of the writer, with the paths of their descriptors. A descriptor may be closed, or get another file, at
// any moment. The process may also read the transcript: a descriptor that cannot write is of a reader, which may keep a file that
// the writer has dropped.
func (m memory) list() (paths map[string]string, err error) {
	if m.paths != nil {
		return m.paths, nil
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	numbers, err := Folder(m.folder + "/fd").names()
	begin, end, _ := strings.Cut(regular.Link(m.whole("\x00")), "\x00")
	paths = map[string]string{}
	for _, number := range numbers {
		path := filepath.Join(m.folder, "fd", number)
		link, _ := os.Readlink(path) // "" if it was closed meanwhile
		name, ok := strings.CutPrefix(link, begin)
		if !ok || !strings.HasSuffix(name, end) {
			continue
		}
		if info, err := os.Lstat(path); err == nil && info.Mode()&0o200 != 0 {
			paths[strings.TrimSuffix(name, end)] = path
		}
	}
	if gone := m.check(); gone != nil { // otherwise the list is whole
		return nil, gone
	}
	return paths, err
}

func (m memory) names() ([]string, error) {
	paths, err := m.list()
	return slices.Collect(maps.Keys(paths)), err
}

func (m memory) listed() (Place, error) {
	paths, err := m.list()
	m.paths = paths
	return m, err
}

func (m memory) open(name string) (*os.File, error) {
	paths, err := m.list()
	if err != nil {
		return nil, err
	}
	path, ok := paths[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: m.whole(name), Err: fs.ErrNotExist}
	}
	file, err := regular.OpenInMemory(path, m.whole(name))
	if err != nil {
		if gone := m.check(); gone != nil { // otherwise the writer has dropped it
			err = gone
		}
	}
	return file, err
}

func (m memory) stat(name string) (fs.FileInfo, error) {
	file, err := m.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.Stat()
}

func (m memory) create(name string) (file, error) {
	if m.kept[name] == nil {
		file, err := regular.InMemory(m.whole(name))
		if err != nil {
			return nil, err
		}
		m.kept[name] = file
	}
	return keptFile{m.kept[name]}, nil
}

func (m memory) remove(name string) error {
	file := m.kept[name]
	if file == nil {
		return fs.ErrNotExist
	}
	delete(m.kept, name)
	return file.Close()
}

func (m memory) path(string) string { return "" }

// A keptFile stays open after Close: nobody could read it otherwise.
type keptFile struct{ *os.File }

func (keptFile) Close() error { return nil }
