package proc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// sockDiag asks the kernel for sockets, sock_diag(7), and calls each with every answer. The answer is valid until each
// returns. The request is the struct of its family without the header. If all is true, sockDiag asks for every socket
// that matches.
func sockDiag(request []byte, all bool, each func(message []byte)) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	flags := uint16(unix.NLM_F_REQUEST)
	if all {
		flags |= unix.NLM_F_DUMP
	}
	// struct nlmsghdr: length, type, flags, sequence, port.
	message := binary.NativeEndian.AppendUint32(nil, uint32(unix.SizeofNlMsghdr+len(request)))
	message = binary.NativeEndian.AppendUint16(message, unix.SOCK_DIAG_BY_FAMILY)
	message = binary.NativeEndian.AppendUint16(message, flags)
	message = append(message, make([]byte, 8)...)
	message = append(message, request...)
	kernel := &unix.SockaddrNetlink{Family: unix.AF_NETLINK}
	if err := unix.Sendto(fd, message, 0, kernel); err != nil {
		return os.NewSyscallError("sendto", err)
	}
	buf := make([]byte, 32<<10) // the most that the kernel sends at a time
	for {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return os.NewSyscallError("recvfrom", err)
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofNlMsghdr; {
			length := int(binary.NativeEndian.Uint32(rest))
			if length < unix.SizeofNlMsghdr || length > len(rest) {
				return fmt.Errorf("sock_diag: a message of %d bytes in %d", length, len(rest))
			}
			body := rest[unix.SizeofNlMsghdr:length]
			switch binary.NativeEndian.Uint16(rest[4:]) {
			case unix.NLMSG_DONE:
				return nil
			case unix.NLMSG_ERROR:
				if len(body) < 4 {
					return errors.New("sock_diag: an error without a number")
				}
				if code := int32(binary.NativeEndian.Uint32(body)); code != 0 {
					return os.NewSyscallError("sock_diag", unix.Errno(-code))
				}
				return nil
			}
			each(body)
			if !all {
				return nil
			}
			rest = rest[min((length+3)&^3, len(rest)):]
		}
	}
}

// attributes calls each with every netlink attribute, rtnetlink(7).
func attributes(rest []byte, each func(kind uint16, value []byte)) {
	const head = 4 // length and type
	for len(rest) >= head {
		length := int(binary.NativeEndian.Uint16(rest))
		if length < head || length > len(rest) {
			return
		}
		each(binary.NativeEndian.Uint16(rest[2:]), rest[head:length])
		rest = rest[min((length+3)&^3, len(rest)):]
	}
}

// UnixPeer returns the inode of the socket to which an AF_UNIX socket is connected. It returns 0 for any other socket,
// and where the kernel does not tell (sock_diag(7)).
func UnixPeer(inode uint64) uint32 {
	// struct unix_diag_req: family, protocol, padding, states, inode, show, cookie.
	request := []byte{unix.AF_UNIX, 0, 0, 0}
	request = binary.NativeEndian.AppendUint32(request, 0xffffffff)
	request = binary.NativeEndian.AppendUint32(request, uint32(inode))
	request = binary.NativeEndian.AppendUint32(request, unixShowPeer)
	request = binary.NativeEndian.AppendUint64(request, 0xffffffffffffffff) // any cookie
	var peer uint32
	err := sockDiag(request, false, func(message []byte) {
		const head, peerAttribute = 16, 2 // struct unix_diag_msg, UNIX_DIAG_PEER
		attributes(message[min(head, len(message)):], func(kind uint16, value []byte) {
			if kind == peerAttribute && len(value) >= 4 {
				peer = binary.NativeEndian.Uint32(value)
			}
		})
	})
	if err != nil {
		return 0
	}
	return peer
}

// unixShowPeer is UDIAG_SHOW_PEER, linux/unix_diag.h.
const unixShowPeer = 4
