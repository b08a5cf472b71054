package ledger

import (
	"errors"
	"os"
	"path/filepath"
)

// inputFile has what the program of a session does about input, in the session's folder.
const inputFile = "input.json"

// MaxInput is the largest size of what SaveInput writes, in bytes. Nearly all has less than 1 KiB.
const MaxInput = 64 << 10

// SaveInput writes what the program of session id does about input: one JSON object, to which SaveInput adds a checksum.
// Only the holder of the session calls it.
func (d Dir) SaveInput(id string, object []byte) error {
	f, err := openFile(filepath.Join(d.SessionFolder(id), inputFile), os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	data := seal(object)
	_, err = f.WriteAt(data, 0)
	return errors.Join(err, f.Truncate(int64(len(data))), f.Close())
}

// Input returns what SaveInput has written, without a lock. ok is false if there is nothing, or if the holder is just
// writing it.
func (d Dir) Input(id string) (object []byte, ok bool) {
	path := filepath.Join(d.SessionFolder(id), inputFile)
	info, err := os.Lstat(path)
	if err != nil || info.Size() > MaxInput {
		return nil, false
	}
	data, err := readFile(path)
	return data, err == nil && sealed(data)
}
