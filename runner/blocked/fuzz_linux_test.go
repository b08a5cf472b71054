package blocked

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"devtools/runner/proc"
)

// A process that says of itself what it waits for, here this one, gets an answer of bounded size, whatever it says: the
// numbers and the addresses in the line are its own.
func FuzzDecode(f *testing.F) {
	f.Add(uint16(0), uint64(0), uint64(1), uint64(1), uint64(0))
	f.Add(uint16(7), uint64(1)<<63, uint64(maxPolled+1), uint64(5), uint64(0))
	for i, c := range calls {
		if c.name != "" {
			f.Add(uint16(i), ^uint64(0), uint64(maxFDs), ^uint64(0), uint64(1)<<47)
		}
	}
	f.Fuzz(func(t *testing.T, number uint16, a, b, c, d uint64) {
		line := fmt.Sprintf("%d 0x%x 0x%x 0x%x 0x%x 0x%x 0x%x 0x7ffe0cbe3b60 0x7f5c0de1c0c3\n", number, a, b, c, d, a, b)
		in := &inspector{Info: proc.Info{ID: proc.ID{PID: os.Getpid()}}, files: uncached}
		w, err := in.decode(os.Getpid(), []byte(line))
		if len(w.sources) > maxPolled+1 || err != nil && w.sources != nil {
			t.Errorf("%q: %d sources, %v", line, len(w.sources), err)
		}
	})
}

// What other files of /proc say of a process gives no more than stands in them.
func FuzzProcFiles(f *testing.F) {
	f.Add([]byte("1: FLOCK  ADVISORY  WRITE 123 fd:01:456 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 789 fd:01:456 0 EOF\n"), 789)
	f.Add([]byte("SqMask: 0x1\nPollList:\n  op=22, task_works=0\n  op=x\nCqOverflowList:\n"), 1)
	f.Add([]byte("tfd:        5 events:       19 data:                5  pos:0 ino:a0e sdev:d\ntfd: -1 events: zz\n"), 1)
	f.Add([]byte("22 1 0:21 / /proc rw,nosuid shared:5 - proc proc rw,hidepid=invisible\n"), 1)
	f.Fuzz(func(t *testing.T, data []byte, pid int) {
		if owners := lockOwners(data, pid); slices.ContainsFunc(owners, func(pid int) bool { return pid <= 0 }) {
			t.Errorf("%q: the owners are %v", data, owners)
		}
		if ops := pendingOps(data); len(ops) > bytes.Count(data, []byte("op=")) {
			t.Errorf("%q: %d operations", data, len(ops))
		}
		if hidden := hidePID(string(data)); !strings.Contains(string(data), hidden) {
			t.Errorf("%q: hidepid=%s", data, hidden)
		}
		for line := range bytes.Lines(data) {
			if fd, events, ok := epollEntry(line); ok && !bytes.HasPrefix(line, []byte("tfd:")) {
				t.Errorf("%q: descriptor %d, events %x", line, fd, events)
			}
		}
	})
}
