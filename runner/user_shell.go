package runner

import (
	"os"
	"path/filepath"

	"devtools/runner/proc"
)

// UserShell returns the path of the user's shell: $SHELL if it is a program, otherwise /bin/sh.
func UserShell() string {
	if shell := os.Getenv("SHELL"); filepath.IsAbs(shell) {
		if _, err := proc.Lookup(shell, "/", nil); err == nil {
			return shell
		}
	}
	return "/bin/sh"
}
