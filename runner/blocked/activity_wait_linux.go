package blocked

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// maxTold bounds how many descriptors of a waiting thread are described.
const maxTold = 64

// A descriptor is a file descriptor that a thread waits for, with the events of poll(2).
type descriptor struct {
	fd     int
	events uint32
}

// An eventSource is what a thread waits for through one descriptor.
type eventSource struct {
	doing Doing
	text  string // a noun phrase: "connections on port 3000"
	on    []int
}

// describeWait describes a thread that waits for descriptors.
func (s *activityScan) describeWait(in *inspector, list []descriptor, timeout time.Duration) (Doing, string, []int) {
	var words []string
	var on []int
	doing := DoingThreads
	for _, d := range list[:min(len(list), maxTold)] {
		a := s.describeDescriptor(in, d)
		if a.text == "" || slices.Contains(words, a.text) {
			continue
		}
		words, on = append(words, a.text), append(on, a.on...)
		if rank(a.doing) < rank(doing) {
			doing = a.doing
		}
	}
	const most = 4
	if rest := len(words) - most; rest > 0 {
		words = append(words[:most], fmt.Sprintf("%d other things", rest))
	}
	switch {
	case len(words) == 0 && timeout >= 0:
		return DoingSleeps, "sleeps" + atMost(timeout), nil
	case len(words) == 0:
		return DoingThreads, "waits for its own threads", nil
	case doing == DoingListens:
		timeout = -1 // a server wakes now and then, so its timeout says nothing
	}
	return doing, "waits for " + joinWords(words) + atMost(timeout), on
}

// describeDescriptor describes one descriptor. The text is "" if only the process itself can make it ready.
func (s *activityScan) describeDescriptor(in *inspector, d descriptor) eventSource {
	var st unix.Stat_t
	if in.stat(&st, d.fd) != nil {
		return eventSource{}
	}
	reads := d.events&pollReads != 0
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFCHR:
		switch {
		case in.isTerminal(&st) && reads:
			return eventSource{DoingInput, "input of its terminal", nil}
		case in.isTerminal(&st):
			return eventSource{DoingOutput, "its terminal to take its output", nil}
		case st.Rdev == terminalMaster:
			return eventSource{DoingEvents, "the programs in a terminal that it has opened", nil}
		}
		return eventSource{DoingEvents, "the device " + in.link(d.fd), nil}
	case unix.S_IFIFO:
		return s.describePipe(in, d, &st, reads)
	case unix.S_IFSOCK:
		return s.describeSocket(in, d.fd, st.Ino)
	}
	name := in.link(d.fd)
	switch strings.Trim(strings.TrimPrefix(name, "anon_inode:"), "[]") {
	case "timerfd":
		return eventSource{DoingSleeps, "a timer", nil}
	case "inotify", "fanotify":
		return eventSource{DoingEvents, "changes of files", nil}
	case "signalfd":
		return eventSource{DoingSignal, "a signal", nil}
	}
	if strings.Contains(name, "pidfd") {
		var buf [1024]byte
		if data, err := in.fdinfo(buf[:], d.fd); err == nil {
			if pid, err := strconv.Atoi(proc.Field(data, "Pid:")); err == nil && pid > 0 {
				return eventSource{DoingChild, nameOf(pid) + " to end", []int{pid}}
			}
		}
		return eventSource{DoingChild, "another process to end", nil}
	}
	return eventSource{}
}

func (s *activityScan) describePipe(in *inspector, d descriptor, st *unix.Stat_t, reads bool) eventSource {
	if !reads {
		readers := s.pipePeers(in, d.fd, false)
		return eventSource{DoingFull, "a pipe to be read by " + namesOrNobody(readers), readers}
	}
	if in.classifyPipe(d.fd, st) == ownSource {
		return eventSource{}
	}
	writers := s.pipePeers(in, d.fd, true)
	return eventSource{DoingPipe, "a pipe from " + namesOrNobody(writers), writers}
}

func namesOrNobody(pids []int) string {
	if len(pids) == 0 {
		return "nobody that could be found"
	}
	return namesOf(pids)
}

// pipePeers returns the other processes that have a pipe open for writing, or for reading if writing is false.
func (s *activityScan) pipePeers(in *inspector, fd int, writing bool) []int {
	name := in.link(fd)
	if _, known := s.openers[name]; !known && name != "" {
		s.findOpeners(name)
	}
	var pids []int
	for _, p := range s.openers[name] {
		if p.pid != in.PID && (writing && p.writes || !writing && p.reads) {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// findOpeners finds the processes that have each pipe open, and those that have the file named wanted open. It searches
// all processes that we have permission to inspect, which takes some milliseconds. It compares names only. It does not
// touch the files, because a file may be on a disk that does not answer.
func (s *activityScan) findOpeners(wanted string) {
	s.openers = map[string][]peer{wanted: nil}
	for _, pid := range proc.PIDs() {
		in := &inspector{Info: proc.Info{ID: proc.ID{PID: pid}}}
		for _, fd := range in.descriptors() {
			name := in.link(fd)
			if name != wanted && !strings.HasPrefix(name, "pipe:") {
				continue
			}
			var buf [256]byte
			data, err := in.fdinfo(buf[:], fd)
			if err != nil {
				continue
			}
			flags, err := strconv.ParseUint(proc.Field(data, "flags:"), 8, 32)
			if err != nil {
				continue
			}
			mode := flags & unix.O_ACCMODE
			peers := s.openers[name]
			if n := len(peers); n == 0 || peers[n-1].pid != pid {
				peers = append(peers, peer{pid: pid})
			}
			last := &peers[len(peers)-1]
			last.writes = last.writes || mode != unix.O_RDONLY
			last.reads = last.reads || mode != unix.O_WRONLY
			s.openers[name] = peers
		}
	}
}

func (s *activityScan) describeSocket(in *inspector, fd int, inode uint64) eventSource {
	copied, err := in.copyFD(fd)
	if err != nil {
		return eventSource{DoingNetwork, "a connection", nil}
	}
	defer unix.Close(copied)
	domain, _ := unix.GetsockoptInt(copied, unix.SOL_SOCKET, unix.SO_DOMAIN)
	kind, _ := unix.GetsockoptInt(copied, unix.SOL_SOCKET, unix.SO_TYPE)
	listens, _ := unix.GetsockoptInt(copied, unix.SOL_SOCKET, unix.SO_ACCEPTCONN)
	local, _ := unix.Getsockname(copied)
	switch domain {
	case unix.AF_INET, unix.AF_INET6:
		at := endpoint(local)
		if listens != 0 {
			return eventSource{DoingListens, fmt.Sprintf("connections on port %d", at.Port()), nil}
		}
		other, err := unix.Getpeername(copied)
		switch {
		case err == nil:
			return eventSource{DoingNetwork, "its connection to " + endpoint(other).String(), nil}
		case kind == unix.SOCK_DGRAM:
			return eventSource{DoingNetwork, fmt.Sprintf("packets on UDP port %d", at.Port()), nil}
		}
		return eventSource{DoingNetwork, "a connection that is not made yet", nil}
	case unix.AF_UNIX:
		if listens != 0 {
			if at, ok := local.(*unix.SockaddrUnix); ok && at.Name != "" {
				return eventSource{DoingListens, "connections on the socket " + at.Name, nil}
			}
			return eventSource{DoingListens, "connections on a socket", nil}
		}
		peer := proc.UnixPeer(inode)
		if other, ok := proc.OwnerOf(uint64(peer)); ok {
			if other.PID == in.PID {
				return eventSource{}
			}
			return eventSource{DoingNetwork, "its connection to " + nameOf(other.PID), []int{other.PID}}
		}
		return eventSource{DoingNetwork, "a connection of this machine", nil}
	case unix.AF_NETLINK:
		return eventSource{DoingEvents, "news of the kernel", nil}
	}
	return eventSource{DoingNetwork, "a connection", nil}
}

// address returns where a socket of the process leads, or "" if that is unknown.
func (in *inspector) address(fd int) string {
	copied, err := in.copyFD(fd)
	if err != nil {
		return ""
	}
	defer unix.Close(copied)
	if at, err := unix.Getpeername(copied); err == nil && endpoint(at).IsValid() {
		return " to " + endpoint(at).String()
	}
	return ""
}

// endpoint returns the address and port of an IPv4 or IPv6 socket.
func endpoint(at unix.Sockaddr) netip.AddrPort {
	switch at := at.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(at.Addr), uint16(at.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(at.Addr).Unmap(), uint16(at.Port))
	}
	return netip.AddrPort{}
}
