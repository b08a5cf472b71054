package blocked

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// An io_uring maps its queue of submissions at the offset IORING_OFF_SQES. An entry, struct io_uring_sqe, has its
// operation at 0, its flags at 1 and its file at 4.
const (
	uringEntries    = "10000000"
	uringEntrySize  = 64
	uringFixedFile  = 1
	maxUringEntries = maxPolled
)

// pendingOps returns the operations that the fdinfo of an io_uring lists as waiting for their file.
func pendingOps(fdinfo []byte) []byte {
	var ops []byte
	_, list, _ := bytes.Cut(fdinfo, []byte("PollList:"))
	for line := range bytes.Lines(list) {
		//   op=22, task_works=0
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("op="))
		if !ok {
			if len(ops) > 0 {
				break // the next list begins
			}
			continue
		}
		number, _, _ := bytes.Cut(rest, []byte(","))
		if op, err := strconv.ParseUint(string(number), 10, 8); err == nil {
			ops = append(ops, byte(op))
		}
	}
	return ops
}

// uring lists what an io_uring waits for. The kernel names the waiting operations, but not their files. The files are
// in the entries, which the process shares with the kernel. An entry stays until another takes its place.
func (in *inspector) uring(fd int) ([]source, error) {
	data, err := in.fdinfo(nil, fd)
	if err != nil {
		return nil, err
	}
	ops := pendingOps(data)
	if len(ops) == 0 {
		return []source{otherSource}, nil
	}
	maps, err := os.ReadFile(in.path("maps"))
	if err != nil {
		return nil, proc.Fault(err)
	}
	var sources []source
	for line := range strings.Lines(string(maps)) {
		// 7f0000000000-7f0000001000 rw-s 10000000 00:10 1065  anon_inode:[io_uring]
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[2] != uringEntries || fields[5] != "anon_inode:[io_uring]" {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, err := strconv.ParseUint(from, 16, 64)
		if err != nil {
			continue
		}
		end, err := strconv.ParseUint(to, 16, 64)
		if err != nil || end <= start {
			continue
		}
		raw := make([]byte, min(end-start, maxUringEntries*uringEntrySize))
		if err := in.readMemory(raw, start); err != nil {
			return nil, err
		}
		for ; len(raw) >= uringEntrySize; raw = raw[uringEntrySize:] {
			if !slices.Contains(ops, raw[0]) {
				continue
			}
			if raw[1]&uringFixedFile != 0 {
				return []source{otherSource}, nil // the entry has the number of a registered file
			}
			if len(sources) >= maxPolled { // a process can map its queue many times
				return append(sources, otherSource), nil
			}
			if sources, err = in.addSource(sources, int(int32(binary.NativeEndian.Uint32(raw[4:]))), unix.POLLIN); err != nil {
				return nil, err
			}
		}
	}
	return sources, nil
}
