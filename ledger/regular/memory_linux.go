package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// HasMemory says whether this system has files that are in memory alone: memfd_create(2).
const HasMemory = true

func inMemory(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL { // Linux before 6.3 does not know the second flag
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	}
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	file := os.NewFile(uintptr(fd), name)
	if err := file.Chmod(0o600); err != nil { // its mode is 0777 at first
		return nil, errors.Join(err, file.Close())
	}
	if link, err := os.Readlink(own(file)); err != nil || link != Link(name) {
		return nil, errors.Join(errors.New("/proc does not show the files of this process: mount procfs(5) there"), file.Close())
	}
	return file, nil
}

// own returns the path of a descriptor of this process.
func own(file *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", file.Fd()) }

func openInMemory(path, name string) (*os.File, error) {
	found, err := os.OpenFile(path, unix.O_PATH, 0) // opens nothing yet: it may be a FIFO or a device by now
	if err != nil {
		return nil, err
	}
	defer found.Close()
	if link, err := os.Readlink(own(found)); err != nil || link != Link(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return os.Open(own(found))
}
