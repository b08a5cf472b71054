package proc

// A Listener is a listening TCP socket.
type Listener struct {
	Address string // in the form of netip.Addr: 127.0.0.1, 0.0.0.0, ::1, ::
	Port    int

	// Inode identifies the socket. The links in proc_pid_fd(5) lead from it to the owners. It is 0 where the system
	// does not tell.
	Inode uint64

	// PID is a process that has the socket open, and Name is the name of that process. PID is 0 if it is unknown.
	// Several processes have a socket open if it was inherited; PID is one of them.
	PID  int
	Name string

	// V6Only says that an IPv6 address does not accept IPv4 connections too.
	V6Only bool
}

// Listeners returns the TCP sockets that listen on the port, for IPv4 and IPv6. Port 0 means any port. The sockets are
// those of our network namespace. Listeners does not look for their owners: see [Owned] and [OwnerOf]. The error is
// [errors.ErrUnsupported] where the system does not tell. A sandbox may also refuse the request.
func Listeners(port int) ([]Listener, error) { return listeners(port) }

// EphemeralPorts returns the range from which the system takes a port for a socket that asks for none (ip(7),
// ip_local_port_range).
func EphemeralPorts() (low, high int) { return ephemeralPorts() }

// Owned returns the listeners that one of the processes has open, and fills in that process. If several have it open,
// the first in pids wins.
func Owned(all []Listener, pids []int) []Listener {
	if len(all) == 0 {
		return nil
	}
	wanted := make(map[uint64]bool)
	for _, l := range all {
		wanted[l.Inode] = true
	}
	delete(wanted, 0)
	owners := make(map[uint64]int)
	for _, pid := range pids {
		for _, inode := range heldSockets(pid, wanted) {
			if owners[inode] == 0 {
				owners[inode] = pid
			}
		}
	}
	var found []Listener
	for _, l := range all {
		if pid := owners[l.Inode]; pid != 0 {
			l.PID = pid
			if info, err := Read(pid); err == nil {
				l.Name = info.Name
			}
			found = append(found, l)
		}
	}
	return found
}

// Ports returns the TCP sockets on which one of the processes listens. Its errors are those of [Listeners].
func Ports(pids []int) ([]Listener, error) {
	all, err := Listeners(0)
	if err != nil {
		return nil, err
	}
	return Owned(all, pids), nil
}

// OwnerOf returns the process that has the socket open, and false if none is found. If several have it, as a server and its
// workers do, it is the one that started first. It searches all processes that we have permission to inspect, which takes some
// milliseconds. It is therefore meant for messages.
func OwnerOf(inode uint64) (owner Info, found bool) {
	if inode == 0 {
		return Info{}, false
	}
	wanted := map[uint64]bool{inode: true}
	for _, pid := range PIDs() {
		if len(heldSockets(pid, wanted)) > 0 {
			if info, err := Read(pid); err == nil && (!found || info.Start < owner.Start) {
				owner, found = info, true
			}
		}
	}
	return owner, found
}
