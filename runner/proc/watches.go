package proc

// WatchesFiles reports whether the process has asked the kernel to report changes of files: inotify(7), which only
// Linux shows. It returns false if the process cannot be read.
func WatchesFiles(pid int) bool { return watchesFiles(pid) }
