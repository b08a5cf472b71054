package ledger

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// The files of the ledger are rewritten without making or deleting a file, where that can be done:
// each costs a file system more than the writing does, and ext4 makes the next creations dearer for
// minutes after every deletion. Nothing here calls fsync: what is written outlives every process and,
// when the machine itself stops, describes processes that stopped with it.

// exchange gives the file at path the content data, so that a reader who takes the lock, and a crash,
// see either the old or the new content. It writes a spare file beside it, which then changes places
// with it. The caller holds the lock.
func exchange(path string, data []byte) error {
	spare := path + ".spare"
	f, err := openFile(spare, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Truncate(int64(len(data)))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err // the spare may be torn: it is written anew the next time
	}
	return swap(spare, path)
}

// pageBytes is how long a record may be to be written in place: the kernel copies so much from one
// write without looking for a signal that kills the writer.
const pageBytes = 4096

// overwrite gives the file at path, which belongs to one writer, the content data: a text whose end
// may be blank. A short one is written in place, in one write of a page, under the lock of the file; a
// long one into a new file that is renamed.
func overwrite(path string, data []byte) error {
	f, err := openFile(path, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	l := flock.New(path, flock.SetFlag(os.O_RDWR|noFollow|nonBlock))
	if err := l.Lock(); err != nil {
		return errors.Join(err, f.Close())
	}
	defer l.Close()
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if len(data) > pageBytes || info.Size() > pageBytes {
		return errors.Join(f.Close(), writeThenRename(path, data))
	}
	// A new one gets its whole page, so that a disk that is full later has room for what it becomes.
	data = append(data, bytes.Repeat([]byte("\n"), pageBytes-len(data))...)
	if _, err = f.WriteAt(data, 0); err != nil && info.Size() == 0 {
		err = errors.Join(err, os.Remove(path))
	}
	return errors.Join(err, f.Close())
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
