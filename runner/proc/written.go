package proc

// Written returns a number for each descendant of the process root, and for root itself, that grows when the process writes
// to a file, by memory that it maps too, to a pipe or to its terminal, and when it waits for a child. That of root grows only
// when it waits for one, as it does for processes that have lost their parent. Two equal answers say that no process of the
// tree has written in between: the same ones are there, and none came and went but a child of one that ignores SIGCHLD.
// What is done to names and times of files without a write, as by utime(2), may not be told. The answer is nil where the
// system does not tell, or not us.
func Written(root int) map[ID]uint64 {
	if root <= 0 {
		return nil
	}
	return written(root)
}
