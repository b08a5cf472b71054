package regular

import "io/fs"

// Owned returns true: Windows has access lists.
func Owned(fs.FileInfo) bool { return true }

// openToAll returns false: Windows has access lists.
func openToAll(fs.FileInfo) bool { return false }

func linked(fs.FileInfo) bool { return false }
