package ledger

import (
	"io/fs"
	"syscall"
)

// closedModes is false: access lists, which a new folder inherits from the workspace, keep others out.
const closedModes = false

func ownedByUser(fs.FileInfo) bool { return true }

// Errors of a full disk, as winerror.h numbers them.
const (
	errorHandleDiskFull = syscall.Errno(39)
	errorDiskFull       = syscall.Errno(112)
)

func diskFull(err error) bool {
	errno, ok := errno(err)
	return ok && (errno == errorDiskFull || errno == errorHandleDiskFull)
}
