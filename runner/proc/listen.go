package proc

// A Listener is a TCP socket that listens.
type Listener struct {
	Address string // as netip.Addr prints it: 127.0.0.1, 0.0.0.0, ::1, ::
	Port    int

	// Inode names the socket, so that its owners can be found: the links in
	// proc_pid_fd(5). It is 0 where the system does not tell.
	Inode uint64

	// PID is a process that has it open, with Name as its name, and 0 if that is not known.
	// Of a socket that was inherited it is one of several.
	PID  int
	Name string

	// V6Only says that an address of IPv6 does not take connections of IPv4 as well.
	V6Only bool
}

// Listeners returns the TCP sockets that listen on the port, of IPv4 and IPv6, or
// on any port for 0. The error is [errors.ErrUnsupported] where the system does not
// tell; a sandbox may refuse it as well. They are those of our network namespace,
// and their owners are not looked for: see [Owned] and [OwnerOf].
func Listeners(port int) ([]Listener, error) { return listeners(port) }

// EphemeralPorts returns the range from which the system gives a port to a socket
// that asks for none (ip(7), ip_local_port_range).
func EphemeralPorts() (low, high int) { return ephemeralPorts() }

// Owned returns those of the listeners that one of the processes has open, with
// that process. The first of pids wins.
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

// Ports returns the TCP sockets on which one of the processes listens. Its errors
// are those of [Listeners].
func Ports(pids []int) ([]Listener, error) {
	all, err := Listeners(0)
	if err != nil {
		return nil, err
	}
	return Owned(all, pids), nil
}

// OwnerOf returns a process that has the socket open, of all that we may look at,
// and false if there is none. It looks at every process, some milliseconds' work,
// and so is for messages.
func OwnerOf(inode uint64) (Info, bool) {
	if inode == 0 {
		return Info{}, false
	}
	wanted := map[uint64]bool{inode: true}
	for _, pid := range everyPID() {
		if len(heldSockets(pid, wanted)) > 0 {
			if info, err := Read(pid); err == nil {
				return info, true
			}
		}
	}
	return Info{}, false
}
