package runner

import "devtools/runner/proc"

// treeIDs lists the living tree for killing.
func treeIDs() []proc.ID { return ids(tree()) }

// ours returns the living process of the tree that has pid.
func ours(pid int) (proc.ID, bool) {
	for _, info := range tree() {
		if info.ID.PID == pid {
			return info.ID, true
		}
	}
	return proc.ID{}, false
}

// treePIDs lists the living tree.
func treePIDs() []int {
	var pids []int
	for _, info := range tree() {
		pids = append(pids, info.ID.PID)
	}
	return pids
}
