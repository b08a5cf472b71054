package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"devtools/ledger/regular"
)

// openFile opens a regular file of the folder, as openRegular does.
func openFile(path string, flag int) (*os.File, error) {
	f, _, err := openRegular(path, flag)
	return f, err
}

// openRegular opens a regular file of the folder. One that is to be written and has another name becomes a copy first, see
// [regular.OpenOwn]. The error is ErrUnsafe for anything else in its place.
func openRegular(path string, flag int) (*os.File, fs.FileInfo, error) {
	f, info, err := regular.OpenOwn(path, flag)
	switch {
	case errors.Is(err, regular.ErrOther):
		err = fmt.Errorf("%w: %s is not a file", ErrUnsafe, path)
	case errors.Is(err, regular.ErrLinked):
		err = fmt.Errorf("%w: %s belongs to another user: remove it", ErrUnsafe, path)
	}
	return f, info, err
}

// maxContent is the maximum size of a file that is read as a whole, in bytes.
const maxContent = 256 << 20

// readFile returns the content of a file of the folder. The error is errDamaged when the file is larger than any file
// that devtools writes.
func readFile(path string) ([]byte, error) {
	f, info, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readWhole(f, info, path)
}

// readShared works as readFile, under the shared lock of the file. If it cannot get the lock, it reads without it.
func readShared(path string) ([]byte, error) {
	f, info, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !shareFile(f) { // a writer has the lock for a moment
		if unlock, err := share(path); err == nil {
			defer unlock()
		}
	}
	return readWhole(f, info, path)
}

// readWhole reads an open file, whose path is for messages.
func readWhole(f *os.File, info fs.FileInfo, path string) ([]byte, error) {
	if info.Size() > maxContent {
		return nil, fmt.Errorf("%s: %w: it has more than %d bytes", path, errDamaged, maxContent)
	}
	var content bytes.Buffer
	content.Grow(int(info.Size()) + bytes.MinRead)
	_, err := content.ReadFrom(f)
	return content.Bytes(), err
}
