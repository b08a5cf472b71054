package ledger

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"devtools/ledger/regular"
)

// Where possible, the ledger rewrites its files without making or deleting a file. Either costs a file system more
// than the writing itself. After every deletion, ext4 also makes new files more slowly for minutes. Nothing here
// calls fsync. The files outlive every process. If the machine itself stops, they describe processes that stopped
// with it.

// exchange replaces the content of the file at path by data. A reader with the lock sees either the old or the new
// content. So does everyone after a crash. exchange writes a spare file beside the file, and then the two change
// places. The caller holds the lock.
func exchange(path string, data []byte) error {
	spare := path + ".spare"
	f, err := openFile(spare, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return regular.ErrorAbout(err, path)
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Truncate(int64(len(data)))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return regular.ErrorAbout(err, path) // the spare file may be damaged; the next call writes it again
	}
	return swap(spare, path)
}

// pageBytes is the maximum length of a record that is written in place, in bytes. The kernel copies that many bytes
// of one write without checking for a signal that kills the writer.
const pageBytes = 4096

// overwrite replaces the content of the file at path by data. The file has only one writer, and its text may end with
// blank lines. Short content is written in place: a single write of one page, under the lock of the file. Long
// content goes into a new file, which is then renamed.
func overwrite(path string, data []byte) error {
	f, err := openFile(path, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	l := flock.New(path, flock.SetFlag(os.O_RDWR|regular.NoFollow|regular.NonBlock))
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
	// Even a new file gets its whole page. So a disk that is full later still has room for the record to grow.
	data = append(data, bytes.Repeat([]byte("\n"), pageBytes-len(data))...)
	if _, err = f.WriteAt(data, 0); err != nil && info.Size() == 0 {
		err = errors.Join(err, os.Remove(path))
	}
	return errors.Join(err, f.Close())
}

func writeThenRename(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return regular.ErrorAbout(err, path)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to report
	}
	return regular.ErrorAbout(err, path)
}
