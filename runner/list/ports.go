package list

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"devtools/ledger"
	"devtools/runner/proc"
)

// A Port is where a process of a session listens: a TCP socket.
type Port struct {
	Port    int    `json:"port"`
	Address string `json:"address"` // 127.0.0.1, 0.0.0.0, ::1, ::
	PID     int    `json:"pid"`

	// URL is where a browser of this machine may find it. It is a guess: nothing was sent there. It is "" for an
	// address that only others reach, and for a port that is known to speak something else than HTTP.
	URL string `json:"url,omitzero"`
}

// takePorts fills in the ports of the session's tree, of all sockets that listen. A socket that several processes have
// is told of the first of them.
func (s *Listed) takePorts(all []proc.Listener) {
	if len(all) == 0 {
		return
	}
	var pids []int
	for _, p := range Flatten(nil, s.Processes) {
		pids = append(pids, p.PID)
	}
	for _, l := range proc.Owned(all, pids) {
		s.Ports = append(s.Ports, Port{Port: l.Port, Address: l.Address, PID: l.PID, URL: urlOf(l.Address, l.Port)})
	}
	slices.SortFunc(s.Ports, func(a, b Port) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Address, b.Address), cmp.Compare(a.PID, b.PID))
	})
}

// otherwise are ports below which servers of databases and the like speak protocols of their own.
var otherwise = []int{21, 22, 23, 25, 53, 110, 143, 389, 465, 587, 636, 993, 995, 1433, 1521, 3306, 5432, 5672, 6379, 9042, 11211, 27017}

// urlOf guesses the URL of what listens there.
func urlOf(address string, port int) string {
	addr, err := netip.ParseAddr(address)
	if err != nil || slices.Contains(otherwise, port) {
		return ""
	}
	host := "localhost"
	switch addr = addr.Unmap(); {
	case addr.IsUnspecified(), addr == netip.AddrFrom4([4]byte{127, 0, 0, 1}), addr == netip.IPv6Loopback():
	case addr.IsLoopback():
		host = addr.String()
	default:
		return ""
	}
	switch port {
	case 80:
		return "http://" + host
	case 443:
		return "https://" + host
	case 8443:
		return "https://" + host + ":8443"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(port))
}

// PortsOf returns where a living session listens, nothing where that cannot be told.
func PortsOf(ctx context.Context, dir ledger.Dir, id string) []Port {
	listing, err := List(ctx, dir, false, true)
	if err != nil {
		return nil
	}
	for _, s := range listing.Sessions {
		if s.ID == id {
			return s.Ports
		}
	}
	return nil
}
