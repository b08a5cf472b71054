package ledger

import (
	"errors"
	"io/fs"
	"os"

	"github.com/gofrs/flock"

	"devtools/ledger/regular"
)

// taken works as in claim_unix.go.
func taken(path string) bool {
	l := flock.New(path, flock.SetFlag(os.O_RDONLY|regular.NoFollow|regular.NonBlock))
	defer l.Close()
	shared, err := l.TryRLock()
	return !shared && !errors.Is(err, fs.ErrNotExist)
}

// shareFile locks nothing: on Windows a lock needs a descriptor of package flock.
func shareFile(*os.File) bool { return false }
