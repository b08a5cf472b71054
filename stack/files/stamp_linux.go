package files

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

func stampOf(info fs.FileInfo) Stamp {
	s := Stamp{Modified: info.ModTime().UnixNano(), Size: info.Size(), Mode: info.Mode()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Changed, s.Inode = syscall.TimespecToNsec(stat.Ctim), stat.Ino
	}
	return s
}

// self returns the stamp of the folder, and its device.
func (d openedFolder) self() (s Stamp, device uint64) {
	var stat unix.Stat_t
	if unix.Fstat(int(d), &stat) == nil {
		s, device = stampOfStat(&stat), uint64(stat.Dev)
	}
	return s, device
}

// stamps returns the stamps of files in the folder. A file that it cannot look at has an empty
// stamp.
func (d openedFolder) stamps(names []string) []Stamp {
	all := make([]Stamp, len(names))
	var stat unix.Stat_t
	for i, name := range names {
		switch unix.Fstatat(int(d), name, &stat, unix.AT_SYMLINK_NOFOLLOW) {
		case nil:
			all[i] = stampOfStat(&stat)
		case unix.ENOENT:
			all[i].Mode = gone
		}
	}
	return all
}

func stampOfStat(stat *unix.Stat_t) Stamp {
	return Stamp{stat.Mtim.Nano(), stat.Ctim.Nano(), stat.Size, stat.Ino, modeOf(stat.Mode)}
}

// modeOf returns a mode in the form of package fs.
func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	case unix.S_IFIFO:
		m |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		m |= fs.ModeSocket
	case unix.S_IFBLK:
		m |= fs.ModeDevice
	case unix.S_IFCHR:
		m |= fs.ModeDevice | fs.ModeCharDevice
	}
	if mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}
