package runner

import (
	"os"

	"devtools/runner/proc"
)

// watch returns a watch of what reads the terminal.
func (t *terminal) watch() *proc.Watch { return proc.NewWatch(os.Getpid(), t.evidence()) }
