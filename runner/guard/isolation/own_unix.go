//go:build unix

package isolation

import (
	"io/fs"
	"os"
	"syscall"
)

// own reports whether a file belongs to this user.
func own(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
