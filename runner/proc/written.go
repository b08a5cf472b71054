package proc

// Written returns a number for the process root and for each of its descendants. The number of a descendant grows when
// it writes to a file (mapped memory included), to a pipe or to its terminal. It also grows when the descendant waits
// for a child. The number of root grows only when root waits for a child, including adopted ones.
//
// If two answers are equal, no process of the tree has written in between. The processes are then the same, and none
// came and went. The exception is a child of a process that ignores SIGCHLD. Changes of names, sizes and times without
// a write may not show. The answer is nil where the system does not tell, or does not permit us to look.
func Written(root int) map[ID]uint64 {
	if root <= 0 {
		return nil
	}
	return written(root)
}
