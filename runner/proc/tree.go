package proc

import "fmt"

// maxTree bounds the number of processes that one walk returns, far above what a
// system runs, so that a walk of a tree that grows as fast as we read it ends.
const maxTree = 1 << 16

// Children returns the pids of the children of the process that has pid now, in no
// particular order, zombies included. On Linux it reads proc_pid_task_children(5)
// where the kernel has it, at a cost that depends on this process alone; elsewhere
// it reads the list of all processes. A child may be missing when one of its
// siblings ends at that moment. The error is [ErrGone] when there is no such
// process.
func Children(pid int) ([]int, error) {
	if pid <= 0 {
		return nil, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	pids, err := children(pid)
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	return pids, nil
}

// Tree returns every descendant of the process root, zombies included but not root
// itself, parents before their children. It is empty when there are none and when
// root is gone.
//
// A walk is no snapshot: a process that moved to another parent in the meantime
// may be missing, never is one listed that was no descendant. A tree that changes
// under the walk is walked again a few times; who needs certainty calls until two
// results agree, or waits for ECHILD as the subreaper of the tree.
func Tree(root int) []Info {
	if root <= 0 {
		return nil
	}
	return tree(root)
}

// table indexes processes by the pid of their parent.
type table map[int][]Info

func tableOf(all []Info) table {
	t := make(table)
	for _, p := range all {
		t[p.Parent] = append(t[p.Parent], p)
	}
	return t
}

func (t table) children(pid int) []int {
	var pids []int
	for _, p := range t[pid] {
		pids = append(pids, p.PID)
	}
	return pids
}

func (t table) tree(root int) []Info {
	var found []Info
	seen := map[int]bool{root: true}
	for parent, next := root, 0; ; next++ {
		for _, p := range t[parent] {
			if !seen[p.PID] && len(found) < maxTree {
				seen[p.PID] = true
				found = append(found, p)
			}
		}
		if next == len(found) {
			return found
		}
		parent = found[next].PID
	}
}
