package hold

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"devtools/ledger/regular"
	"devtools/runner/wire"
)

// A handedFile is a file from which an integrated shell reads what the holder hands to it.
type handedFile struct {
	path   string
	memory *os.File // of a session that is not recorded: no folder has the file
}

// newHandedFile returns the file of this name, which has nothing yet. lasting is the folder for the files of the shell.
func newHandedFile(spec *wire.Spec, lasting, name string) (f handedFile, err error) {
	if !spec.NoRecord {
		return handedFile{path: filepath.Join(lasting, name)}, nil
	}
	if f.memory, err = regular.InMemory("devtools:" + spec.ID + ":shell." + name); err != nil {
		return f, err
	}
	f.path = fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.memory.Fd())
	return f, nil
}

// write makes data the content of the file. It follows no link that stands in the place of the file or of its folder.
func (f handedFile) write(data []byte) error {
	if f.memory == nil {
		if folder := filepath.Dir(f.path); !isFolder(folder) {
			return fmt.Errorf("%s is not a folder", folder)
		}
		file, _, err := regular.Open(f.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
		if err != nil {
			return err
		}
		_, err = file.Write(data)
		return errors.Join(err, file.Close())
	}
	_, err := f.memory.WriteAt(data, 0)
	return errors.Join(err, f.memory.Truncate(int64(len(data))))
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// forget removes the content.
func (f handedFile) forget() {
	if f.memory == nil {
		_ = os.Remove(f.path) // it may never have been there
		return
	}
	_ = f.memory.Truncate(0) // nothing can be in the way
}
