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

// A Port is a TCP socket on which a process of a session listens.
type Port struct {
	Port    int    `json:"port"`    // number of the port
	Address string `json:"address"` // address of the socket, such as 127.0.0.1, 0.0.0.0, ::1 or ::
	PID     int    `json:"pid"`     // process that listens

	// URL is where a browser on this machine may find the server. It is a guess: nothing was sent there. It is absent
	// for an address that only other machines reach, and for a port that is known for another protocol than HTTP.
	URL string `json:"url,omitzero"`
}

// takePorts fills in the ports of the session's tree. all has all listening sockets. A socket of several processes is
// listed for the first of them.
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

// otherwise lists well-known ports of servers, such as databases, with protocols other than HTTP.
var otherwise = []int{21, 22, 23, 25, 53, 110, 143, 389, 465, 587, 636, 993, 995, 1433, 1521, 3306, 5432, 5672, 6379, 9042, 11211, 27017}

// urlOf guesses the URL of the server at the address and port.
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

// PortsOf returns the ports on which a living session listens, or nil where the system does not tell.
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
