package proc

// This file has the readers of /proc that several files share, and package blocked with them.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// Field returns the rest of the line that begins with a label like "flags:", without spaces around it. It returns "" if
// there is no such line.
func Field(data []byte, label string) string {
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte(label)); ok {
			return string(bytes.TrimSpace(rest))
		}
	}
	return ""
}

// Numbers appends the numbers among the names in a folder of /proc, such as the threads in task. folder is its
// descriptor. If the folder cannot be read to the end, Numbers returns the numbers up to there and the error.
func Numbers(found []int, folder int) ([]int, error) {
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	for {
		n, err := unix.Getdents(folder, buf[:])
		if n <= 0 || err != nil {
			return found, err
		}
		// struct linux_dirent64: an inode and an offset of 8 bytes, a length of 2, a type of 1, the name.
		const lengthAt, nameAt = 16, 19
		for entries := buf[:n]; len(entries) > nameAt; {
			length := int(binary.NativeEndian.Uint16(entries[lengthAt:]))
			if length <= nameAt || length > len(entries) {
				return found, nil
			}
			name, _, _ := bytes.Cut(entries[nameAt:length], []byte{0})
			if number, err := strconv.Atoi(string(name)); err == nil {
				found = append(found, number)
			}
			entries = entries[length:]
		}
	}
}

// buffers holds buffers for files of /proc. A line of stat always fits: it has 52 numbers of at most 20 digits, and a
// name of at most 64 bytes.
var buffers = sync.Pool{New: func() any { return new([4096]byte) }}

// Fault turns errors of /proc and of signals into [ErrGone] and [ErrNotPermitted]. It returns any other error
// unchanged.
func Fault(err error) error {
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ESRCH):
		return ErrGone
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return ErrNotPermitted
	}
	return err
}

// directory lists a folder of /proc as far as it can be read. A process may end while its folder is listed.
func directory(path string) []string {
	folder, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	return names
}

// ReadInto reads the beginning of a file of /proc, as far as the buffer reaches. Its errors are those of [Fault].
func ReadInto(buf []byte, path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, Fault(err)
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return nil, Fault(err)
	}
	return buf[:n], nil
}

// descriptors lists the descriptors of a process, as far as they can be read.
func descriptors(pid int) []int {
	folder, err := unix.Open(Folder(pid)+"/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(folder)
	found, _ := Numbers(nil, folder) // a process that ends meanwhile gives a partial list
	return found
}
