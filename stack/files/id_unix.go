//go:build unix

package files

import "syscall"

// idOf returns the identity of the file that a path leads to.
func idOf(path string) (fileID, bool) {
	var stat syscall.Stat_t
	err := syscall.Stat(path, &stat)
	return fileID{uint64(stat.Dev), stat.Ino}, err == nil
}
