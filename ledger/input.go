package ledger

import (
	"errors"
	"os"
	"path/filepath"
)

// inputFile has what the program of a session does about input, in the session's folder.
const inputFile = "input.json"

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
	data, err := readFile(filepath.Join(d.SessionFolder(id), inputFile))
	return data, err == nil && sealed(data)
}
