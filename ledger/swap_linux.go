package ledger

import (
	"os"

	"golang.org/x/sys/unix"
)

// swap exchanges the files at the paths from and to, renameat2(2). If there is no file at to, or the file system cannot
// exchange files, swap renames the file at from. It then replaces the file at to.
func swap(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCHANGE)
	if err != nil {
		return os.Rename(from, to)
	}
	return nil
}
