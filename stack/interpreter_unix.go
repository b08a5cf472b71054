//go:build unix

package stack

import "io/fs"

const (
	venvPython    = "bin/python" // in a virtual environment
	commandSuffix = ""           // the extension of commands that npm puts into .bin
)

// mayExecute reports whether anybody may execute a file.
func mayExecute(info fs.FileInfo) bool { return info.Mode().Perm()&0o111 != 0 }
