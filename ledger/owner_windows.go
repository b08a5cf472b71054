package ledger

import "io/fs"

// closedModes is false: access lists, which a new folder inherits from the workspace, keep others out.
const closedModes = false

// noFollow is nothing: making a symbolic link takes a privilege.
const noFollow = 0

// nonBlock is nothing: there are no FIFOs among the files.
const nonBlock = 0

// unlinksOpen is false: a file that is locked stays.
const unlinksOpen = false

func ownedByUser(fs.FileInfo) bool { return true }

// diskBytes returns about what a file takes on disk.
func diskBytes(info fs.FileInfo) int64 { return info.Size() }

func fileNumber(fs.FileInfo) (device, inode uint64) { return 0, 0 }
