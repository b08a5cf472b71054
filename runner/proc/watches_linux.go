package proc

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// watchesFiles looks for an inotify descriptor that has a watch (proc_pid_fdinfo(5)).
func watchesFiles(pid int) bool {
	folder := "/proc/" + strconv.Itoa(pid)
	descriptors, err := unix.Open(folder+"/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(descriptors)
	var room [256]int
	var link [64]byte
	list, _ := numbers(room[:0], descriptors) // a process that ends meanwhile gives a partial list
	for _, fd := range list {
		name := strconv.Itoa(fd)
		n, err := unix.Readlinkat(descriptors, name, link[:])
		if err != nil || string(link[:n]) != "anon_inode:inotify" {
			continue
		}
		if info, err := os.ReadFile(folder + "/fdinfo/" + name); err == nil && bytes.Contains(info, []byte("inotify wd:")) {
			return true
		}
	}
	return false
}
