package blocked

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"devtools/runner/proc"

	"golang.org/x/sys/unix"
)

// Linux devices, Documentation/admin-guide/devices.txt.
var (
	currentTerminal = unix.Mkdev(5, 0) // /dev/tty
	terminalMaster  = unix.Mkdev(5, 2) // /dev/ptmx
)

// Events of poll(2). The second bit of each is POLLRDNORM or POLLWRNORM.
const (
	pollReads  = unix.POLLIN | 0x40
	pollWrites = unix.POLLOUT | 0x100
)

// ptsMajor is the major device number of PTY slaves.
const ptsMajor = 136

func (in *inspector) path(rest string) string {
	return "/proc/" + strconv.Itoa(in.PID) + "/" + rest
}

// fdinfo reads the fdinfo of a descriptor of the process into buf. If buf is too small, it uses a larger buffer.
func (in *inspector) fdinfo(buf []byte, fd int) ([]byte, error) {
	f := procFile{pid: in.PID, name: "fdinfo/" + strconv.Itoa(fd)}
	data, err := uncached.read(buf, f)
	if err != nil || len(data) < len(buf)/2 { // the kernel fills a page as far as whole entries fit
		return data, err
	}
	if data, err = os.ReadFile(f.path()); err != nil {
		return nil, proc.Fault(err)
	}
	return data, nil
}

// stat describes the file behind a descriptor of the process.
func (in *inspector) stat(st *unix.Stat_t, fd int) error {
	return proc.Fault(unix.Stat(in.path("fd/"+strconv.Itoa(fd)), st))
}

// add appends the kind of a descriptor to sources, if the thread waits for it. events are those of poll(2), which
// epoll(7) uses too.
func (in *inspector) add(sources []source, fd int, events uint32) ([]source, error) {
	return in.addAt(sources, fd, events, 0)
}

func (in *inspector) addAt(sources []source, fd int, events uint32, depth int) ([]source, error) {
	if fd < 0 || events&(pollReads|pollWrites|unix.POLLPRI) == 0 {
		return sources, nil
	}
	reads := events&pollReads != 0
	if in.noted != nil {
		in.noted(fd, events)
	}
	var st unix.Stat_t
	if err := in.stat(&st, fd); err != nil {
		if err == proc.ErrNotPermitted {
			return nil, err
		}
		return append(sources, otherSource), nil // the descriptor was closed during the wait
	}
	s := otherSource
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFCHR:
		switch {
		case in.ours(&st) && reads:
			s = terminalSource
		case in.ours(&st) && events&pollWrites == 0:
			return sources, nil // vim also waits for exceptions, which a terminal does not have
		case st.Rdev == terminalMaster:
			s = masterSource
			in.masters = append(in.masters, fd)
		}
	case unix.S_IFIFO:
		s = in.pipe(fd, &st)
	case unix.S_IFSOCK:
		s = in.socket(fd, st.Ino)
	default:
		return in.anonymous(sources, fd, depth)
	}
	return append(sources, s), nil
}

// descriptors lists the descriptors of the process, as far as they can be read.
func (in *inspector) descriptors() []int {
	return uncached.numbers(nil, procFile{pid: in.PID, name: "fd"})
}

// ours reports whether a file is the terminal.
func (in *inspector) ours(st *unix.Stat_t) bool {
	if st.Rdev == currentTerminal {
		return uint64(uint32(in.TTY)) == in.device
	}
	return st.Rdev == in.device && (in.filesystem == 0 || st.Dev == in.filesystem)
}

// link returns the name of the file behind a descriptor.
func (in *inspector) link(fd int) string {
	name, _ := os.Readlink(in.path("fd/" + strconv.Itoa(fd)))
	return name
}

// anonymous appends the kind of a file that has no place in the file system.
func (in *inspector) anonymous(sources []source, fd, depth int) ([]source, error) {
	name := in.link(fd)
	s := otherSource
	switch strings.Trim(strings.TrimPrefix(name, "anon_inode:"), "[]") {
	case "eventfd", "signalfd":
		s = ownSource
	case "timerfd":
		s = ownSource
		var buf [512]byte
		if data, err := in.fdinfo(buf[:], fd); err != nil || proc.Field(data, "it_value:") != "(0, 0)" {
			s = timerSource
		}
	case "inotify", "fanotify":
		s = watchSource
	case "eventpoll":
		if depth < maxNested {
			return in.epoll(sources, fd, depth+1)
		}
	case "io_uring":
		if data, err := in.fdinfo(nil, fd); err == nil && len(pendingOps(data)) == 0 {
			s = ownSource
		}
	case "pidfd":
		s = processSource
	}
	if strings.HasPrefix(name, "pidfd:") {
		s = processSource
	}
	return append(sources, s), nil
}

// pipe distinguishes a pipe or FIFO that the process itself can write to from one that only others write to.
func (in *inspector) pipe(fd int, st *unix.Stat_t) source {
	if in.writes(fd) {
		return ownSource // open for reading and writing
	}
	isOther := func(other int) bool {
		var its unix.Stat_t
		return other != fd && in.stat(&its, other) == nil && its.Ino == st.Ino && its.Dev == st.Dev && in.writes(other)
	}
	if isOther(fd + 1) { // usually pipe(2) returns two neighbouring numbers
		return ownSource
	}
	if slices.ContainsFunc(in.descriptors(), isOther) {
		return ownSource
	}
	return pipeSource
}

// writes reports whether a descriptor is open for writing.
func (in *inspector) writes(fd int) bool {
	var buf [256]byte
	data, err := in.fdinfo(buf[:], fd)
	if err != nil {
		return false
	}
	flags, err := strconv.ParseUint(proc.Field(data, "flags:"), 8, 32)
	return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY
}

// socket distinguishes a listening socket, a socket connected to the process itself, and any other.
func (in *inspector) socket(fd int, inode uint64) source {
	if copied, err := in.copyFD(fd); err == nil {
		defer unix.Close(copied)
		if on, err := unix.GetsockoptInt(copied, unix.SOL_SOCKET, unix.SO_ACCEPTCONN); err == nil && on != 0 {
			return listenerSource
		}
		if domain, err := unix.GetsockoptInt(copied, unix.SOL_SOCKET, unix.SO_DOMAIN); err == nil && domain != unix.AF_UNIX {
			return socketSource
		}
	}
	if peer := proc.UnixPeer(inode); peer != 0 {
		name := "socket:[" + strconv.FormatUint(uint64(peer), 10) + "]"
		if slices.ContainsFunc(in.descriptors(), func(other int) bool { return in.link(other) == name }) {
			return ownSource
		}
	}
	return socketSource
}

// copyFD duplicates a descriptor of the process, pidfd_getfd(2).
func (in *inspector) copyFD(fd int) (int, error) {
	pidfd, err := unix.PidfdOpen(in.PID, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(pidfd)
	copied, err := unix.PidfdGetfd(pidfd, fd, 0)
	if err != nil {
		return -1, proc.Fault(err)
	}
	return copied, nil
}
