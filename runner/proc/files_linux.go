package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func openers(tty int) []Info {
	device := uint64(uint32(tty))
	return withDescriptor(func(path string) bool {
		var st unix.Stat_t
		name, _ := os.Readlink(path) // "" if it is closed by now
		return strings.HasPrefix(name, "/dev/") && unix.Stat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR && st.Rdev == device
	})
}

func folderOpeners(path string) []Info {
	var folder unix.Stat_t
	if unix.Lstat(path, &folder) != nil {
		return nil
	}
	suffix := "/" + filepath.Base(path)
	return withDescriptor(func(path string) bool {
		var st unix.Stat_t
		name, _ := os.Readlink(path) // "" if it is closed by now
		return strings.HasSuffix(name, suffix) && unix.Stat(path, &st) == nil && st.Dev == folder.Dev && st.Ino == folder.Ino
	})
}

// withDescriptor returns the other processes that have a descriptor for which the condition holds. path is the link of
// the descriptor, proc_pid_fd(5). The condition checks the name of a file before it touches the file, because the file
// may be on a disk that does not answer.
func withDescriptor(condition func(path string) bool) (found []Info) {
	for _, pid := range PIDs() {
		if pid == os.Getpid() {
			continue
		}
		for _, fd := range descriptors(pid) {
			if !condition(Folder(pid) + "/fd/" + strconv.Itoa(fd)) {
				continue
			}
			if info, err := read(pid); err == nil {
				found = append(found, info)
			}
			break
		}
	}
	return found
}

// writing checks the descriptors that lead to a path, proc_pid_fdinfo(5).
func writing(pid int) (paths []string) {
	folder := Folder(pid)
	var buf [512]byte
	var link [unix.PathMax]byte
	for _, fd := range descriptors(pid) {
		n, err := unix.Readlink(folder+"/fd/"+strconv.Itoa(fd), link[:])
		if err != nil || n == 0 || link[0] != '/' {
			continue // it is closed by now, or is not a file with a path
		}
		data, err := ReadInto(buf[:], folder+"/fdinfo/"+strconv.Itoa(fd))
		if err != nil {
			continue
		}
		flags, err := strconv.ParseUint(Field(data, "flags:"), 8, 64)
		if err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY {
			paths = append(paths, string(link[:n]))
		}
	}
	return paths
}

func written(root int) map[ID]uint64 {
	self, err := read(root)
	if err != nil {
		return nil
	}
	all := map[ID]uint64{self.ID: self.ChildFaults}
	for _, p := range Tree(root) {
		n, ok := bytesWritten(p.PID)
		if !ok {
			return nil
		}
		all[p.ID] = n + p.ChildFaults
	}
	return all
}

// bytesWritten returns the sum of the write counters in proc_pid_io(5). wchar counts calls. write_bytes also counts
// pages of mapped files. cancelled_write_bytes counts pages that a truncation took back. None of them ever shrinks.
func bytesWritten(pid int) (sum uint64, ok bool) {
	data, err := os.ReadFile(Folder(pid) + "/io")
	if err != nil {
		return 0, false
	}
	for _, label := range []string{"wchar:", "write_bytes:", "cancelled_write_bytes:"} {
		n, err := strconv.ParseUint(Field(data, label), 10, 64)
		if err != nil {
			return 0, false
		}
		sum += n
	}
	return sum, true
}

// watchesFiles looks for an inotify descriptor that has a watch (proc_pid_fdinfo(5)).
func watchesFiles(pid int) bool {
	folder := Folder(pid)
	descriptors, err := unix.Open(folder+"/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(descriptors)
	var room [256]int
	var link [64]byte
	list, _ := Numbers(room[:0], descriptors) // a process that ends meanwhile gives a partial list
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
