package hold

import (
	"devtools/runner/proc"
	"devtools/runner/pty"
)

// treeIDs lists the living tree for killing.
func treeIDs() []proc.ID { return proc.IDs(pty.Tree()) }

// ours returns the living process of the tree that has pid.
func ours(pid int) (proc.ID, bool) {
	for _, info := range pty.Tree() {
		if info.ID.PID == pid {
			return info.ID, true
		}
	}
	return proc.ID{}, false
}

// treePIDs lists the pids of the living tree.
func treePIDs() []int {
	var pids []int
	for _, info := range pty.Tree() {
		pids = append(pids, info.ID.PID)
	}
	return pids
}
