package blocked

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"golang.org/x/sys/unix"
)

// Bounds for data of another process: descriptors in a set, entries of an epoll, and levels of epolls inside each
// other.
const (
	maxFDs    = 1 << 16
	maxPolled = 4096
	maxNested = 3
)

// polled lists what poll(2) waits for.
func (in *inspector) polled(address, count uint64) ([]source, error) {
	if count == 0 {
		return nil, nil
	}
	if count > maxPolled {
		return []source{otherSource}, nil
	}
	raw := make([]byte, 8*count)
	if err := in.readMemory(raw, address); err != nil {
		return nil, err
	}
	var sources []source
	var err error
	for ; len(raw) > 0 && err == nil; raw = raw[8:] {
		fd := int(int32(binary.NativeEndian.Uint32(raw)))
		sources, err = in.addSource(sources, fd, uint32(binary.NativeEndian.Uint16(raw[4:])))
	}
	return sources, err
}

// selected lists what select(2) waits for. The sets are for reading, writing and exceptions.
func (in *inspector) selected(count uint64, sets []uint64) ([]source, error) {
	if count == 0 {
		return nil, nil
	}
	if count > maxFDs {
		return []source{otherSource}, nil
	}
	var sources []source
	for i, events := range []uint32{unix.POLLIN, unix.POLLOUT, unix.POLLPRI} {
		if sets[i] == 0 {
			continue
		}
		raw := make([]byte, (count+63)/64*8)
		if err := in.readMemory(raw, sets[i]); err != nil {
			return nil, err
		}
		for word := 0; word < len(raw)/8; word++ {
			bits := binary.NativeEndian.Uint64(raw[8*word:])
			for bit := range 64 {
				fd := 64*word + bit
				if bits&(1<<bit) == 0 || fd >= int(count) {
					continue
				}
				if len(sources) >= maxPolled { // the process may have changed the set since the kernel copied it
					return append(sources, otherSource), nil
				}
				var err error
				if sources, err = in.addSource(sources, fd, events); err != nil {
					return nil, err
				}
			}
		}
	}
	return sources, nil
}

// epoll lists what an epoll waits for, proc_pid_fdinfo(5).
func (in *inspector) epoll(sources []source, epfd, depth int) ([]source, error) {
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	data, err := in.fdinfo(buf[:], epfd)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		fd, events, ok := epollEntry(line)
		if !ok {
			continue
		}
		if len(sources) >= maxPolled {
			return append(sources, otherSource), nil
		}
		if sources, err = in.addSourceAt(sources, fd, events, depth); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// epollEntry parses the line of a descriptor in the fdinfo of an epoll.
func epollEntry(line []byte) (fd int, events uint32, ok bool) {
	// tfd:        5 events:       19 data:                5  pos:0 ino:a0e sdev:d
	rest, ok := bytes.CutPrefix(line, []byte("tfd:"))
	before, after, _ := bytes.Cut(rest, []byte("events:"))
	fd, err := strconv.Atoi(string(bytes.TrimSpace(before)))
	if !ok || err != nil {
		return 0, 0, false
	}
	word, _, _ := bytes.Cut(bytes.TrimSpace(after), []byte(" "))
	mask, err := strconv.ParseUint(string(word), 16, 32)
	return fd, uint32(mask), err == nil
}
