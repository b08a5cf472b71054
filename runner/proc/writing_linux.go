package proc

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// writing checks the descriptors that lead to a path, proc_pid_fdinfo(5).
func writing(pid int) (paths []string) {
	in := &inspector{}
	in.PID = pid
	var buf [512]byte
	var link [unix.PathMax]byte
	for _, fd := range in.descriptors() {
		n, err := unix.Readlink(in.path("fd/"+strconv.Itoa(fd)), link[:])
		if err != nil || n == 0 || link[0] != '/' {
			continue // it is closed by now, or is not a file with a path
		}
		data, err := readInto(buf[:], in.path("fdinfo/"+strconv.Itoa(fd)))
		if err != nil {
			continue
		}
		flags, err := strconv.ParseUint(fdinfoField(data, "flags:"), 8, 64)
		if err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY {
			paths = append(paths, string(link[:n]))
		}
	}
	return paths
}
