package hold

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"devtools/ledger/regular"
	"devtools/runner/guard/isolation"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// A handedFile is a file from which an integrated shell reads what the holder hands to it.
type handedFile struct {
	path   string
	memory *os.File // no folder has the file; nil: one has
}

// newHandedFile returns the file of this name, which has nothing yet. lasting is the folder for the files of the shell. The file is in
// memory where the shell can open it: in the folder, a sandbox that may write there could replace a command before the shell reads it.
func newHandedFile(spec *wire.Spec, lasting, name string) (f handedFile, err error) {
	onDisk, must := handedFile{path: filepath.Join(lasting, name)}, inMemory(spec)
	if !must && (!regular.HasMemory || isolation.LevelOf(spec.Isolation) == isolation.High) {
		return onDisk, nil
	}
	if f.memory, err = regular.InMemory("devtools:" + spec.ID + ":shell." + name); err == nil {
		f.path = fmt.Sprintf("%s/fd/%d", proc.Folder(os.Getpid()), f.memory.Fd())
	}
	return f, err
}

// inMemory reports whether the commands that are handed to a shell must be in no folder.
func inMemory(spec *wire.Spec) bool {
	return spec.NoRecord || len(spec.Secrets) > 0 && regular.HasMemory
}

// nothing is the content of a file that has no command. The line keeps the first page of the file, so that a short command has
// room even on a full disk.
const nothing = "\n"

// write makes data the content of the file, in place. It follows no link that stands in the place of the file or of its folder.
func (f handedFile) write(data []byte) error {
	if f.memory != nil {
		return fill(f.memory, data)
	}
	if folder := filepath.Dir(f.path); !isFolder(folder) {
		return fmt.Errorf("%s is not a folder", folder)
	}
	file, _, err := regular.OpenOwn(f.path, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	return errors.Join(fill(file, data), file.Close())
}

func fill(file *os.File, data []byte) error {
	_, err := file.WriteAt(data, 0)
	return errors.Join(err, file.Truncate(int64(len(data))))
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// forget removes the content. What stands in the place of the file is removed.
func (f handedFile) forget() {
	file := f.memory
	if file == nil {
		var err error
		if file, _, err = regular.OpenOwn(f.path, os.O_WRONLY); err != nil {
			_ = os.Remove(f.path) // it may never have been there
			return
		}
		defer file.Close()
	}
	_ = file.Truncate(int64(len(nothing))) // nothing can be in the way
	_, _ = file.WriteAt([]byte(nothing), 0)
}

// writeNew writes a file that a shell reads. What stands in its place is removed, and no link is followed.
func writeNew(path, text string) error {
	const fresh = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	file, _, err := regular.Open(path, fresh)
	if err != nil && os.Remove(path) == nil {
		file, _, err = regular.Open(path, fresh)
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}
