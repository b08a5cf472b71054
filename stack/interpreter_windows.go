package stack

import "io/fs"

const (
	venvPython    = `Scripts\python.exe` // in a virtual environment
	commandSuffix = ".cmd"               // the extension of commands that npm puts into .bin
)

// openToAll reports whether everybody can write to a folder. On Windows its mode does not tell.
func openToAll(fs.FileInfo) bool { return false }

// mayExecute reports whether anybody may execute a file. On Windows its mode does not tell.
func mayExecute(fs.FileInfo) bool { return true }
