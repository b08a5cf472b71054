package stack

import "io/fs"

const (
	venvPython    = `Scripts\python.exe` // of a virtual environment
	commandSuffix = ".cmd"               // of what npm puts into .bin
)

// openToAll reports whether everybody can write to a folder, which its mode does not tell here.
func openToAll(fs.FileInfo) bool { return false }

// mayExecute reports whether anybody may execute a file, which its mode does not tell here.
func mayExecute(fs.FileInfo) bool { return true }
