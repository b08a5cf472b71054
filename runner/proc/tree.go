package proc

import "fmt"

// maxTree bounds the number of processes that one walk returns. It is far above what a system runs. Because of it, a
// walk ends even if the tree grows as fast as we read it.
const maxTree = 1 << 16

// Children returns the pids of the children of the process that has pid now, zombies included, in no particular order.
// On Linux it reads proc_pid_task_children(5) if the kernel has it. The cost then depends only on this process.
// Otherwise it reads the list of all processes.
//
// A child may be missing if one of its siblings ends at that moment. The error is [ErrGone] if there is no such
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

// Lives reports whether a process or a thread with this number lives, at the cost of one system call. It is not for
// decisions: the number may be used again. Where the system cannot tell so cheaply, the answer is no.
func Lives(pid int) bool { return pid > 0 && lives(pid) }

// Childless reports whether this process surely has no child. It asks the kernel once; the list of children costs as many
// files as this process has threads.
func Childless() bool { return childless() }

// PIDs returns the pids of all processes that we can see, in no particular order. On Linux it reads only the names in
// /proc. It returns none on other systems.
func PIDs() []int { return allPIDs() }

// Tree returns every descendant of the process root, zombies included, without root itself. Parents come before their
// children. The result is empty if there are no descendants, and if root is gone.
//
// A walk is not a snapshot. A process that moved to another parent meanwhile may be missing. A process that was no
// descendant is never listed. If the tree changes during the walk, Tree walks it again a few times. A caller that needs
// certainty calls Tree until two results agree. As the subreaper of the tree it can instead wait for ECHILD.
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

// Subreaper makes our process the parent of every descendant whose own parent ends. Otherwise the first process of the
// system would be that parent (PR_SET_CHILD_SUBREAPER, prctl(2)).
//
// This lasts until we exit, and children do not inherit it. We must wait for the processes that we adopt. On other
// systems than Linux the error is [errors.ErrUnsupported].
func Subreaper() error { return subreaper() }

// IDs returns the identities of the processes, in the same order.
func IDs(infos []Info) []ID {
	list := make([]ID, len(infos))
	for i, info := range infos {
		list[i] = info.ID
	}
	return list
}

// Subtree returns a list function for [Kill]: the process root of our tree, while it lives, and the tree below it.
func Subtree(root ID) func() []ID {
	return func() []ID {
		list := IDs(Tree(root.PID))
		// The pid may belong to another process by now. Kill follows the processes that were listed before to their
		// end.
		if !root.Alive() {
			return nil
		}
		return append([]ID{root}, list...)
	}
}
