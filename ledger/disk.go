package ledger

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// A Disk is what a file system is and can do.
type Disk struct {
	Type      string // as mount(8) names it, "" where that is not known
	Remote    bool   // its files are on another machine, or another system's
	ReadOnly  bool
	FreeBytes int64 // for this user; -1 where that is not known
	FreeFiles int64 // likewise, and -1 where files are not counted
}

// DiskAt returns what is known of the file system of a folder.
func DiskAt(folder string) (Disk, error) { return diskAt(folder) }

// A Trial is what could be done in a folder.
type Trial struct {
	Write error // a file could not be made there
	Lock  error // the lock of a file does not keep another out, or cannot be had
	Swap  bool  // two files can change places in one step
}

// errNoLock reports a lock that two had at a time.
var errNoLock = errors.New("two could lock a file at a time")

// trialPrefix begins the name of the folder in which something is tried.
const trialPrefix = ".doctor-"

// Try makes files in the folder, locks and swaps them, and removes them again.
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

// tryLock locks a file and tries to lock it once more, as another process does: a lock belongs to one opening of the file.
func tryLock(path string) error {
	first := flock.New(path, flock.SetFlag(os.O_RDWR))
	defer first.Close()
	if locked, err := first.TryLock(); err != nil || !locked {
		return errors.Join(err, errors.New("a file that nobody has locked cannot be locked"))
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
