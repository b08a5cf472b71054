package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"devtools/ledger/regular"
)

// stacksFile contains the workspace's own stack definitions. maxStacks is its maximum size in bytes.
const (
	stacksFile = "stacks.toml"
	maxStacks  = 256 << 10
)

// Stacks returns the workspace's own stack definitions, as people have written them, and the path of their file. data
// is nil if there are none.
func (d Dir) Stacks() (data []byte, path string, err error) {
	return d.written(stacksFile, maxStacks)
}

// written reads a file of the folder that people write. The file may have at most the given number of bytes.
func (d Dir) written(name string, most int) (data []byte, path string, err error) {
	path = d.file(name)
	f, _, err := regular.Open(path, os.O_RDONLY)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, path, nil
	case errors.Is(err, regular.ErrOther):
		return nil, path, errIrregular
	case err != nil:
		return nil, path, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(data) > most {
		err = fmt.Errorf("%s: more than %d bytes", path, most)
	}
	return data, path, err
}
