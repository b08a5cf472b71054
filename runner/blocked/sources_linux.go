package blocked

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// Events of poll(2). The second bit of each is POLLRDNORM or POLLWRNORM.
const (
	pollReads  = unix.POLLIN | 0x40
	pollWrites = unix.POLLOUT | 0x100
)

// ptsMajor is the major device number of PTY slaves.
const ptsMajor = 136

// addSource appends the kind of a descriptor to sources, if the thread waits for it. events are those of poll(2), which
// epoll(7) uses too.
func (in *inspector) addSource(sources []source, fd int, events uint32) ([]source, error) {
	return in.addSourceAt(sources, fd, events, 0)
}

func (in *inspector) addSourceAt(sources []source, fd int, events uint32, depth int) ([]source, error) {
	if fd < 0 || events&(pollReads|pollWrites|unix.POLLPRI) == 0 {
		return sources, nil
	}
	reads := events&pollReads != 0
	if in.onDescriptor != nil {
		in.onDescriptor(fd, events)
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
		case in.isTerminal(&st) && reads:
			s = terminalSource
		case in.isTerminal(&st) && events&pollWrites == 0:
			return sources, nil // vim also waits for exceptions, which a terminal does not have
		case st.Rdev == terminalMaster:
			s = masterSource
			in.masterFDs = append(in.masterFDs, fd)
		}
	case unix.S_IFIFO:
		if s = terminalSource; !reads || !in.isPipe(&st) {
			s = in.classifyPipe(fd, &st)
		}
	case unix.S_IFSOCK:
		s = in.classifySocket(fd, st.Ino)
	default:
		return in.addAnonymous(sources, fd, depth)
	}
	return append(sources, s), nil
}

// addAnonymous appends the kind of a file that has no place in the file system.
func (in *inspector) addAnonymous(sources []source, fd, depth int) ([]source, error) {
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

// classifyPipe distinguishes a pipe or FIFO that the process itself can write to from one that only others write to.
func (in *inspector) classifyPipe(fd int, st *unix.Stat_t) source {
	if in.openForWriting(fd) {
		return ownSource // open for reading and writing
	}
	isOther := func(other int) bool {
		var its unix.Stat_t
		return other != fd && in.stat(&its, other) == nil && its.Ino == st.Ino && its.Dev == st.Dev && in.openForWriting(other)
	}
	if isOther(fd + 1) { // usually pipe(2) returns two neighbouring numbers
		return ownSource
	}
	if slices.ContainsFunc(in.descriptors(), isOther) {
		return ownSource
	}
	return pipeSource
}

// classifySocket distinguishes a listening socket, a socket connected to the process itself, an idle connection, and any other.
func (in *inspector) classifySocket(fd int, inode uint64) source {
	kind := socketSource
	if copied, err := in.copyFD(fd); err == nil {
		defer unix.Close(copied)
		domain, err := unix.GetsockoptInt(copied, unix.SOL_SOCKET, unix.SO_DOMAIN)
		network := err == nil && domain != unix.AF_UNIX
		if on, err := unix.GetsockoptInt(copied, unix.SOL_SOCKET, unix.SO_ACCEPTCONN); err == nil && on != 0 {
			if network {
				return listenerSource
			}
			return controlSource
		}
		switch {
		case network && peerSentLast(copied), !network && in.related(copied):
			kind = idleSource
		}
		if network {
			return kind
		}
	}
	if peer := proc.UnixPeer(inode); peer != 0 {
		name := "socket:[" + strconv.FormatUint(uint64(peer), 10) + "]"
		if slices.ContainsFunc(in.descriptors(), func(other int) bool { return in.link(other) == name }) {
			return ownSource
		}
	}
	return kind
}

// peerSentLast reports whether the other end of a TCP connection has sent last, tcp(7). That is no proof: what came may be only the
// beginning of an answer. The kernel tells the times in steps of some milliseconds, so that a question right behind an answer is not seen.
func peerSentLast(socket int) bool {
	info, err := unix.GetsockoptTCPInfo(socket, unix.IPPROTO_TCP, unix.TCP_INFO)
	return err == nil && info.Bytes_received > 0 && info.Unacked == 0 && info.Last_data_recv <= info.Last_data_sent
}

// related reports whether the process or its parent has made the other end of a socket, unix(7).
func (in *inspector) related(socket int) bool {
	peer, err := unix.GetsockoptUcred(socket, unix.SOL_SOCKET, unix.SO_PEERCRED)
	return err == nil && peer.Pid > 0 && (int(peer.Pid) == in.PID || int(peer.Pid) == in.Parent)
}
