package pty

import (
	"os"

	"devtools/runner/proc"
)

// descendants returns the tree of this process, zombies included. What escapes from it comes back:
// PR_SET_CHILD_SUBREAPER, prctl(2).
func descendants() []proc.Info { return proc.Tree(os.Getpid()) }

// followTree returns what waits until the tree is gone, after wait4(2) has found no child: then it is.
func followTree() (gone func()) { return func() {} }
