package proc

// Written returns a number for each descendant of the process root, and for root itself. The number of a descendant grows
// when it writes to a file, mapped memory included, to a pipe or to its terminal, and when it waits for a child. The number
// of root grows only when it waits for a child, also for one that has lost its parent.
//
// After two equal answers no process of the tree has written in between: the same ones are there, and none came and went but
// a child of a process that ignores SIGCHLD. Changes of names, sizes and times without a write may not show. The answer is nil
// where the system does not tell, or not us.
func Written(root int) map[ID]uint64 {
	if root <= 0 {
		return nil
	}
	return written(root)
}
