package proc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// From linux/inet_diag.h: the sizes of two structs, the state of a listening socket (used as a bit), and attributes.
const (
	inetDiagRequest = 56
	inetDiagMessage = 72
	listenState     = 10 // TCP_LISTEN
	inetDiagV6Only  = 11 // INET_DIAG_SKV6ONLY
	inetDiagCode    = 1  // INET_DIAG_REQ_BYTECODE
)

func listeners(port int) ([]Listener, error) {
	var all []Listener
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		// struct inet_diag_req_v2: family, protocol, extensions, padding, states, and the id of a socket. A request for
		// a list does not use the id.
		request := make([]byte, inetDiagRequest)
		request[0], request[1] = family, unix.IPPROTO_TCP
		binary.NativeEndian.PutUint32(request[4:], 1<<listenState)
		if port > 0 {
			request = append(request, portFilter(port)...)
		}
		err := sockDiag(request, true, func(message []byte) {
			if l, ok := parseListener(message); ok && (port == 0 || l.Port == port) {
				all = append(all, l)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// portFilter returns an attribute with a program that accepts one source port. The program has two comparisons. If a
// comparison holds, the program continues with the next operation. Otherwise it jumps past the end, which rejects the
// socket.
//
// An operation consists of a code, the number of bytes to continue by if it holds, and the number if it does not. The
// port is in the second half of a separate operation.
func portFilter(port int) []byte {
	const atLeast, atMost = 2, 3 // INET_DIAG_BC_S_GE, INET_DIAG_BC_S_LE
	attribute := binary.NativeEndian.AppendUint16(nil, 4+4*4)
	attribute = binary.NativeEndian.AppendUint16(attribute, inetDiagCode)
	for i, code := range []byte{atLeast, atMost} {
		past := uint16(4*4 - 8*i + 4)
		attribute = append(attribute, code, 8)
		attribute = binary.NativeEndian.AppendUint16(attribute, past)
		attribute = append(attribute, 0, 0)
		attribute = binary.NativeEndian.AppendUint16(attribute, uint16(port))
	}
	return attribute
}

// parseListener reads a struct inet_diag_msg. The fields are, in this order: family, state, timer, retransmissions;
// source and destination port, in network order; source and destination address, of 16 bytes each; interface; cookie,
// of 8 bytes; expiry; two queues; user; inode. Attributes follow.
func parseListener(message []byte) (Listener, bool) {
	if len(message) < inetDiagMessage {
		return Listener{}, false
	}
	l := Listener{
		Port:  int(binary.BigEndian.Uint16(message[4:])),
		Inode: uint64(binary.NativeEndian.Uint32(message[68:])),
	}
	switch message[0] {
	case unix.AF_INET:
		l.Address = netip.AddrFrom4([4]byte(message[8:12])).String()
	case unix.AF_INET6:
		l.Address = netip.AddrFrom16([16]byte(message[8:24])).String()
	default:
		return Listener{}, false
	}
	attributes(message[inetDiagMessage:], func(kind uint16, value []byte) {
		if kind == inetDiagV6Only && len(value) > 0 {
			l.V6Only = value[0] != 0
		}
	})
	return l, true
}

// heldSockets returns which of the wanted sockets a process has open.
func heldSockets(pid int, wanted map[uint64]bool) []uint64 {
	folder, err := unix.Open(Folder(pid)+"/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(folder)
	var room [256]int
	var link [64]byte
	var found []uint64
	descriptors, _ := Numbers(room[:0], folder) // a process that ends meanwhile gives a partial list
	for _, fd := range descriptors {
		n, err := unix.Readlinkat(folder, strconv.Itoa(fd), link[:])
		if err != nil {
			continue
		}
		number, ok := bytes.CutPrefix(link[:n], []byte("socket:["))
		if !ok {
			continue
		}
		inode, err := strconv.ParseUint(string(bytes.TrimSuffix(number, []byte("]"))), 10, 64)
		if err == nil && wanted[inode] {
			found = append(found, inode)
		}
	}
	return found
}

func ephemeralPorts() (low, high int) {
	data, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range") // also for IPv6
	if err == nil {
		_, err = fmt.Sscan(string(data), &low, &high)
	}
	if err != nil {
		return 32768, 60999 // the kernel's defaults
	}
	return low, high
}
