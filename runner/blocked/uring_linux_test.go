package blocked

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestPendingOps(t *testing.T) {
	const info = "pos:\t0\nSqMask:\t0x7\nUserBufs:\t0\nPollList:\n  op=22, task_works=0\n  op=6, task_works=1\nCqOverflowList:\n  op=1, task_works=0\n"
	if got := pendingOps([]byte(info)); !slices.Equal(got, []byte{22, 6}) {
		t.Errorf("operations %v, want 22 and 6", got)
	}
	if got := pendingOps([]byte("PollList:\nCqOverflowList:\n")); got != nil {
		t.Errorf("operations %v of none", got)
	}
}

// rings are what an io_uring reads.
var rings = []struct {
	what string
	want State
}{{"terminal", Waiting}, {"pipe", NotWaiting}}

func init() {
	roles["uring"] = func() error {
		runtime.LockOSThread()
		var params [120]byte // struct io_uring_params
		ring, _, errno := syscall.Syscall(unix.SYS_IO_URING_SETUP, 8, uintptr(unsafe.Pointer(&params)), 0)
		if errno != 0 {
			fmt.Println(errno)
			return nil
		}
		field := func(at int) int { return int(binary.NativeEndian.Uint32(params[at:])) }
		const offsets = 40 // of the submission queue: head, tail, mask, entries, flags, dropped, array
		queue, err := unix.Mmap(int(ring), 0, field(offsets+24)+8*4, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return err
		}
		entries, err := unix.Mmap(int(ring), 0x10000000, 8*uringEntrySize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return err
		}
		fd := 0
		if os.Args[1] == "pipe" {
			var ends [2]int
			if err := unix.Pipe(ends[:]); err != nil {
				return err
			}
			fd = ends[0]
			cmd := exec.Command("sleep", "1000") // has the other end
			cmd.ExtraFiles = []*os.File{os.NewFile(uintptr(ends[1]), "")}
			if err := cmd.Start(); err != nil {
				return err
			}
			cmd.ExtraFiles[0].Close()
		}
		var buf [100]byte
		var pin runtime.Pinner
		pin.Pin(&buf)
		entries[0] = 22 // IORING_OP_READ
		binary.NativeEndian.PutUint32(entries[4:], uint32(fd))
		binary.NativeEndian.PutUint64(entries[16:], uint64(uintptr(unsafe.Pointer(&buf))))
		binary.NativeEndian.PutUint32(entries[24:], uint32(len(buf)))
		binary.NativeEndian.PutUint32(queue[field(offsets+24):], 0) // the array names entry 0
		binary.NativeEndian.PutUint32(queue[field(offsets+4):], 1)  // the tail is behind it
		fmt.Println("ready")
		const getEvents = 1
		_, _, errno = syscall.Syscall6(unix.SYS_IO_URING_ENTER, ring, 1, 1, getEvents, 0, 0)
		return errno
	}
}

func TestRing(t *testing.T) {
	for _, tt := range rings {
		t.Run(tt.what, func(t *testing.T) {
			s := perform(t, play("uring", tt.what))
			s.untilPrinted("\n")
			if text := s.text(); !strings.Contains(text, "ready") {
				t.Skip("no io_uring here: " + text)
			}
			if tt.want == Waiting {
				if v := s.untilWaiting(); v.Syscall != "io_uring_enter" || v.Reason.Way != PendingRead {
					t.Errorf("%+v", v)
				}
				return
			}
			if v, ok := s.until(time.Second, func(v Verdict) bool { return v.State != tt.want }); ok {
				t.Errorf("%+v", v)
			}
		})
	}
}
