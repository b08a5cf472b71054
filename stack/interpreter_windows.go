package stack

import "io/fs"

const (
	venvPython    = `Scripts\python.exe` // in a virtual environment
	commandSuffix = ".cmd"               // the extension of commands that npm puts into .bin
)

// mayExecute reports whether anybody may execute a file. On Windows its mode does not tell.
func mayExecute(fs.FileInfo) bool { return true }
