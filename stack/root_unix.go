//go:build unix

package stack

import (
	"os"
	"syscall"
)

// deviceOf returns the file system that a folder is on.
func deviceOf(dir string) (device uint64, ok bool) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(stat.Dev), true
}
