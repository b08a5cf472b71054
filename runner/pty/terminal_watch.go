package pty

import (
	"os"

	"devtools/runner/proc"
)

// Watch returns a watch of the programs that read the terminal.
func (t *Terminal) Watch() *proc.Watch { return proc.NewWatch(os.Getpid(), t.evidence()) }
