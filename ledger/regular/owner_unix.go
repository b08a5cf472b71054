//go:build unix

package regular

import (
	"io/fs"
	"os"
	"syscall"
)

// Owned reports whether a file belongs to the user of this process.
func Owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// openToAll reports whether everybody can write to a folder.
func openToAll(info fs.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }

// linked reports whether a file has more than one name.
func linked(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}
