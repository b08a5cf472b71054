//go:build unix

package guard

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// checkOwn reports a file, or a folder of one, that others than its owner and root may change, and one that neither this user nor
// root owns: that error wraps errForeign. A group with the number of a user is the user's own, as useradd(8) makes it.
func checkOwn(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	mode := info.Mode()
	own := int(stat.Gid) == os.Geteuid() || stat.Gid == stat.Uid
	sticky := mode.IsDir() && mode&fs.ModeSticky != 0 // others cannot replace what is in it
	switch {
	case !sticky && (mode.Perm()&0o002 != 0 || mode.Perm()&0o020 != 0 && !own):
		return fmt.Errorf("others may write to %s (mode %#o): chmod go-w it", path, mode.Perm())
	case int(stat.Uid) != os.Geteuid() && stat.Uid != 0:
		return fmt.Errorf("%s %w", path, errForeign)
	}
	return nil
}

// checkFolder reports the folder of a file in which somebody else may replace the file.
func checkFolder(file string) error {
	dir := filepath.Dir(file)
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	return checkOwn(dir, info)
}
