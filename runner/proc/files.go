package proc

// Openers returns the processes that have a terminal open. tty is its device number ([Info.TTY]). Openers searches all
// processes that we have permission to inspect, which takes some milliseconds. The result is empty where the system
// does not tell.
func Openers(tty int) []Info {
	if tty == 0 {
		return nil
	}
	return openers(tty)
}

// FolderOpeners returns the other processes that have the folder at path open. It searches all processes that we have
// permission to inspect, which takes some milliseconds. The result is empty where the system does not tell.
func FolderOpeners(path string) []Info { return folderOpeners(path) }

// Writing returns the paths of the files that the process has open for writing. This takes a fraction of a millisecond.
// The result is empty where the system does not tell, or does not permit us to look.
func Writing(pid int) []string { return writing(pid) }

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

// WatchesFiles reports whether the process has asked the kernel to report changes of files: inotify(7), which only
// Linux shows. It returns false if the process cannot be read.
func WatchesFiles(pid int) bool { return watchesFiles(pid) }
