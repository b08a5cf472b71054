//go:build darwin || freebsd

package files

import (
	"io/fs"
	"syscall"
)

func stampOf(info fs.FileInfo) Stamp {
	s := Stamp{Modified: info.ModTime().UnixNano(), Size: info.Size(), Mode: info.Mode()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Changed, s.Inode = syscall.TimespecToNsec(stat.Ctimespec), stat.Ino
	}
	return s
}

// deviceOf returns the device of a file.
func deviceOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Dev)
	}
	return 0
}
