package proc

// WatchesFiles reports whether the process has asked the kernel to be told of changes
// to files: inotify(7), which only Linux shows. What cannot be read watches nothing.
func WatchesFiles(pid int) bool { return watchesFiles(pid) }
