package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

func read(pid int) (Info, error) {
	if !hasPidfs() {
		return readStat(pid)
	}
	// If the process still has its pid after stat was read, it had the pid while stat was read. Then inode and stat
	// belong to the same process.
	fd, err := openPidfd(pid)
	if errors.Is(err, ErrGone) {
		return Info{}, err
	}
	if err != nil {
		return readStat(pid)
	}
	defer unix.Close(fd)
	info, err := readStat(pid)
	if err != nil {
		return Info{}, err
	}
	if reaped(fd) {
		return Info{}, ErrGone
	}
	info.Inode = inode(fd)
	return info, nil
}

// buffers holds buffers for files of /proc. A line of stat always fits: it has 52 numbers of at most 20 digits, and a
// name of at most 64 bytes.
var buffers = sync.Pool{New: func() any { return new([4096]byte) }}

// readStat does what read does, without the inode.
func readStat(pid int) (Info, error) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return Info{}, asFault(err)
	}
	defer unix.Close(fd)
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	n, err := unix.Read(fd, buf[:])
	if err != nil {
		return Info{}, asFault(err)
	}
	info, err := parseStat(buf[:n])
	info.Boot = Boot()
	return info, err
}

// asFault turns errors of /proc and of signals into the errors of this package.
func asFault(err error) error {
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ESRCH):
		return ErrGone
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return ErrNotPermitted
	}
	return err
}

func commandLine(pid int) []string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(data) == 0 {
		return nil
	}
	data = bytes.TrimSuffix(data, []byte{0})
	var args []string
	for arg := range bytes.SplitSeq(data, []byte{0}) {
		args = append(args, string(arg))
	}
	return args
}
