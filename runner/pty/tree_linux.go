package pty

import (
	"os"

	"devtools/runner/proc"
)

// descendants returns the tree of this process, with zombies. What escapes from the tree comes back to this
// process: PR_SET_CHILD_SUBREAPER, prctl(2).
func descendants() []proc.Info { return proc.Tree(os.Getpid()) }

// followTree returns a function that need not wait: once wait4(2) has found no child, the tree is gone.
func followTree() (gone func()) { return func() {} }
