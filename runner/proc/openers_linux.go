package proc

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

func openers(tty int) []Info {
	device := uint64(uint32(tty))
	return withDescriptor(func(in *inspector, fd int) bool {
		var st unix.Stat_t
		return strings.HasPrefix(in.link(fd), "/dev/") && in.stat(&st, fd) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR && st.Rdev == device
	})
}

func folderOpeners(path string) []Info {
	var folder unix.Stat_t
	if unix.Lstat(path, &folder) != nil {
		return nil
	}
	name := "/" + filepath.Base(path)
	return withDescriptor(func(in *inspector, fd int) bool {
		var st unix.Stat_t
		return strings.HasSuffix(in.link(fd), name) && in.stat(&st, fd) == nil && st.Dev == folder.Dev && st.Ino == folder.Ino
	})
}

// withDescriptor returns the other processes that have a descriptor for which the condition holds. The condition checks
// the name of a file before it touches the file, because the file may be on a disk that does not answer.
func withDescriptor(condition func(in *inspector, fd int) bool) (found []Info) {
	for _, pid := range everyPID() {
		if pid == os.Getpid() {
			continue
		}
		in := &inspector{Info: Info{ID: ID{PID: pid}}}
		for _, fd := range in.descriptors() {
			if !condition(in, fd) {
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
