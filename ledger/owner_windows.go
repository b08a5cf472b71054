package ledger

import "io/fs"

// closedModes is false. Access lists keep other users out, and a new folder inherits them from the workspace.
const closedModes = false

// noFollow has no effect. On Windows, a process needs a privilege to make a symbolic link.
const noFollow = 0

// nonBlock has no effect, because Windows has no FIFOs among its files.
const nonBlock = 0

// unlinksOpen is false: a locked file cannot be removed.
const unlinksOpen = false

func ownedByUser(fs.FileInfo) bool { return true }

// diskBytes returns approximately the space that a file takes on disk, in bytes.
func diskBytes(info fs.FileInfo) int64 { return info.Size() }

func fileNumber(fs.FileInfo) (device, inode uint64) { return 0, 0 }
