package regular

import "io/fs"

// Owned returns true: Windows has access lists.
func Owned(fs.FileInfo) bool { return true }

func linked(fs.FileInfo) bool { return false }
