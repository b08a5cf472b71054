//go:build unix

package guard

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkOwn reports a file that others own or may change.
func checkOwn(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user: remove it", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is open to other users (mode %#o): chmod 600 it, or remove it", path, info.Mode().Perm())
	}
	return nil
}
