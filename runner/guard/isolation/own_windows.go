package isolation

import "io/fs"

// own is true: no session has a temporary folder here.
func own(fs.FileInfo) bool { return true }
