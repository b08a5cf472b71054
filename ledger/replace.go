package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// replace gives the file at path the content data in one rename, so that a reader and a crash see
// either the old or the new content. It does not call fsync: what it writes outlives every process
// and, when the machine itself stops, describes processes that stopped with it.
//
// On a full disk an existing file is overwritten in place: a record that cannot say that its
// process has ended would be worse than one that a crash in this moment tears.
func replace(path string, data []byte) error {
	err := writeThenRename(path, data)
	if err != nil && diskFull(err) {
		if overwrite(path, data) == nil {
			return nil
		}
	}
	return err
}

func writeThenRename(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to report
	}
	return err
}

// overwrite succeeds where the blocks that the file has already are enough.
func overwrite(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Truncate(int64(len(data)))
	}
	return errors.Join(err, f.Close())
}

func errno(err error) (syscall.Errno, bool) { return errors.AsType[syscall.Errno](err) }
