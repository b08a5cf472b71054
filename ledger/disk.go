package ledger

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// A Disk describes a file system.
type Disk struct {
	Type      string // name as in mount(8); "": unknown
	Remote    bool   // the files are on another machine or in the host system
	ReadOnly  bool
	FreeBytes int64 // free bytes for this user; -1: unknown
	FreeFiles int64 // free files for this user; -1: unknown, or files are not counted
}

// DiskAt describes the file system of a folder.
func DiskAt(folder string) (Disk, error) { return diskAt(folder) }

// A Trial says which operations work in a folder.
type Trial struct {
	Write error // why no file could be written
	Lock  error // why locks do not work: none can be taken, or two can be held at once
	Swap  bool  // two files can change places in one step
}

// errNoLock reports a lock that was held twice at the same time.
var errNoLock = errors.New("two processes can lock one file at the same time")

// trialPrefix begins the name of the folder that Try makes.
const trialPrefix = ".doctor-"

// Try makes files in the folder, locks them, swaps them and removes them again.
func (d Dir) Try() (t Trial) {
	folder, err := os.MkdirTemp(d.root, trialPrefix)
	if err != nil {
		t.Write = reason(err)
		return t
	}
	defer os.RemoveAll(folder)
	one, two := filepath.Join(folder, "one"), filepath.Join(folder, "two")
	if t.Write = errors.Join(os.WriteFile(one, []byte("1"), 0o600), os.WriteFile(two, []byte("2"), 0o600)); t.Write != nil {
		t.Write = reason(t.Write)
		return t
	}
	t.Lock = tryLock(one)
	t.Swap = canSwap(one, two)
	return t
}

// tryLock locks a file, and then tries to lock it a second time. The second lock stands for another process, because
// a lock belongs to one opening of the file.
func tryLock(path string) error {
	first := flock.New(path, flock.SetFlag(os.O_RDWR))
	defer first.Close()
	if locked, err := first.TryLock(); err != nil || !locked {
		return errors.Join(err, errors.New("an unlocked file cannot be locked"))
	}
	second := flock.New(path, flock.SetFlag(os.O_RDWR))
	defer second.Close()
	if locked, err := second.TryLock(); err != nil {
		return err
	} else if locked {
		return errNoLock
	}
	return nil
}
