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

// linked reports whether a file has more than one name.
func linked(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}
