package files

import (
	"bytes"
	"encoding/binary"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// An openedFolder is a descriptor. To read it directly takes less than half of the time of package
// os, which makes a file, asks whether it can be polled, and makes an entry for each name.
type openedFolder int

func openFolder(path string, noLink bool) (openedFolder, error) {
	flags := syscall.O_RDONLY | syscall.O_DIRECTORY | syscall.O_CLOEXEC | syscall.O_NONBLOCK
	if noLink {
		flags |= syscall.O_NOFOLLOW
	}
	for {
		fd, err := syscall.Open(path, flags, 0)
		if err == nil {
			return openedFolder(fd), nil
		}
		if err != syscall.EINTR {
			return -1, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
}

func (d openedFolder) close() { _ = syscall.Close(int(d)) } // it was only read

// read adds the names in the folder. It reports whether there are more than the limit.
func (d openedFolder) read(s *scanner) (cut bool, err error) {
	for {
		n, err := syscall.Getdents(int(d), s.room[:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return false, err
		}
		// struct linux_dirent64: inode, offset, 2 bytes of length, 1 byte of type, the name up to a zero.
		for data := s.room[:n]; len(data) > 19; {
			size := int(binary.NativeEndian.Uint16(data[16:]))
			if size < 20 || size > len(data) {
				return false, syscall.EIO
			}
			name := data[19:size]
			if end := bytes.IndexByte(name, 0); end >= 0 {
				name = name[:end]
			}
			kind := data[18]
			data = data[size:]
			if len(name) == 0 || name[0] == '.' && (len(name) == 1 || len(name) == 2 && name[1] == '.') {
				continue
			}
			if len(s.all) == mostNames {
				return true, nil
			}
			addName(s, name, d.kind(kind, name))
		}
	}
}

// kind returns the kind of an entry. If the list does not tell, it looks at the entry.
func (d openedFolder) kind(listed byte, name []byte) kindOf {
	switch listed {
	case syscall.DT_REG:
		return isFile
	case syscall.DT_DIR:
		return isFolder
	case syscall.DT_LNK:
		return isLink
	case syscall.DT_UNKNOWN:
		var stat unix.Stat_t
		if unix.Fstatat(int(d), string(name), &stat, unix.AT_SYMLINK_NOFOLLOW) != nil {
			return isOther
		}
		switch stat.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			return isFile
		case unix.S_IFDIR:
			return isFolder
		case unix.S_IFLNK:
			return isLink
		}
	}
	return isOther
}
