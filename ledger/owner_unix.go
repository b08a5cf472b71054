//go:build unix

package ledger

import (
	"io/fs"
	"syscall"

	"devtools/ledger/regular"
)

// closedModes says whether the mode bits of a folder keep other users out.
const closedModes = true

// unlinksOpen says whether a file can be removed while it is open.
const unlinksOpen = true

func ownedByUser(info fs.FileInfo) bool { return regular.Owned(info) }

func fileNumber(info fs.FileInfo) (device, inode uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return uint64(stat.Dev), stat.Ino
}

// diskBytes returns the space that a file takes on disk, in bytes. It is less than the size of a file with holes.
func diskBytes(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Blocks * 512
	}
	return info.Size()
}
