package ledger

import (
	"os"

	"golang.org/x/sys/unix"
)

// swap puts the file at from in the place of the one at to, and that one, if there is one, in its
// place, where the file system can, renameat2(2).
func swap(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCHANGE)
	if err != nil {
		return os.Rename(from, to)
	}
	return nil
}
