package blocked

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"devtools/runner/proc"

	"golang.org/x/sys/unix"
)

// A call is a system call that may block.
type call struct {
	name string
	kind callKind
}

type callKind uint8

const (
	noCall      callKind = iota
	readCall             // fd
	pollCall             // fds, count, milliseconds
	ppollCall            // fds, count, *timespec
	selectCall           // count, read, write, except, *timeval
	pselectCall          // the same, with *timespec
	epollCall            // fd, events, count, milliseconds
	epoll2Call           // the same, with *timespec
	uringCall            // fd
	sleepCall            // *timespec
	clockCall            // clock, flags, *timespec
	childCall            // wait4(2), waitid(2)
	futexCall            // address, operation, value, *timespec
	restartCall          // the interrupted call, with its arguments
)

// Bounds for data of another process: descriptors in a set, entries of an epoll, and levels of epolls inside each
// other.
const (
	maxFDs    = 1 << 16
	maxPolled = 4096
	maxNested = 3
)

// A blocked is a line of proc_pid_syscall(5). It describes a thread that sleeps in a system call.
type blocked struct {
	number  int
	args    [6]uint64
	running bool // it is on a processor or ready to run
}

var errSyscall = errors.New("syscall is not in the format of proc_pid_syscall(5)")

// parseSyscall reads the file syscall of a thread. The number is -1 for a running thread, and for a thread that sleeps
// outside a system call.
func parseSyscall(line []byte) (b blocked, err error) {
	b.number = -1
	first, rest, _ := bytes.Cut(bytes.TrimRight(line, "\n"), []byte(" "))
	if b.running = string(first) == "running"; b.running || string(first) == "-1" {
		return b, nil
	}
	number, err := strconv.Atoi(string(first))
	if err != nil || number < 0 {
		return b, errSyscall
	}
	fields := 0
	var sp uint64
	for field := range bytes.FieldsSeq(rest) {
		hex, ok := bytes.CutPrefix(field, []byte("0x"))
		if !ok {
			return b, errSyscall
		}
		value, err := strconv.ParseUint(string(hex), 16, 64)
		if err != nil {
			return b, errSyscall
		}
		switch {
		case fields < len(b.args):
			b.args[fields] = value
		case fields == len(b.args):
			sp = value
		}
		fields++
	}
	if fields < len(b.args)+1 {
		return b, errSyscall
	}
	switch {
	case sp == 0:
		// The thread is a worker of io_uring. The kernel makes workers without a stack of their own, and the rest of
		// the line belongs to the thread that made it.
		return blocked{number: -1}, nil
	case sp < 1<<32:
		// A 32-bit program has other numbers for its calls.
		return b, proc.ErrNotPermitted
	}
	b.number = number
	return b, nil
}

// An inspector examines the threads of one process.
type inspector struct {
	proc.Info
	device, filesystem uint64 // device numbers of the terminal
	depth              int    // levels of terminals inside terminals
	files              *kept

	// masters are the descriptors behind masterSource.
	masters []int

	// noted, if not nil, receives each descriptor that a thread waits for.
	noted func(fd int, events uint32)
}

// wait returns what a thread is blocked in. The error is ErrNotPermitted if the kernel does not permit us to look.
func (in *inspector) wait(tid int) (wait, error) {
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	line, err := in.files.read(buf[:], procFile{in.PID, tid, "syscall"})
	if err != nil {
		return wait{}, err
	}
	return in.decode(tid, line)
}

// decode interprets a line of the thread's file syscall.
func (in *inspector) decode(tid int, line []byte) (wait, error) {
	b, err := parseSyscall(line)
	if err != nil || b.number < 0 || b.number >= len(calls) {
		return wait{running: b.running}, err
	}
	c := calls[b.number]
	w := forEver
	w.call = c.name
	fd := int(int32(b.args[0]))
	if c.kind == restartCall {
		// The arguments are those of the interrupted call. The kernel function in which the thread sleeps tells which
		// call that was.
		var buf [128]byte
		where, err := uncached.read(buf[:], procFile{in.PID, tid, "wchan"})
		if err != nil {
			return wait{}, err
		}
		if !bytes.Contains(where, []byte("poll")) || !restartsPoll {
			w.timeout = 0
			return w, nil
		}
		c.kind = pollCall
	}
	switch c.kind {
	case noCall:
		return wait{}, nil
	case childCall:
		w.child = true
	case readCall:
		w.read = true
		w.sources, err = in.add(nil, fd, unix.POLLIN)
	case pollCall:
		w.timeout = milliseconds(b.args[2])
		w.sources, err = in.polled(b.args[0], b.args[1])
	case ppollCall:
		if w.timeout, err = in.timespec(b.args[2]); err == nil {
			w.sources, err = in.polled(b.args[0], b.args[1])
		}
	case selectCall, pselectCall:
		if w.timeout, err = in.timespec(b.args[4]); err != nil {
			break
		}
		if c.kind == selectCall && w.timeout > 0 {
			w.timeout = w.timeout.Truncate(time.Second) + w.timeout%time.Second*1000 // from a timeval, in microseconds
		}
		w.sources, err = in.selected(b.args[0], b.args[1:4])
	case epollCall:
		w.timeout = milliseconds(b.args[3])
		w.sources, err = in.epoll(nil, fd, 0)
	case epoll2Call:
		if w.timeout, err = in.timespec(b.args[3]); err == nil {
			w.sources, err = in.epoll(nil, fd, 0)
		}
	case uringCall:
		w.uring = true
		w.sources, err = in.uring(fd)
	case sleepCall:
		w.timeout, err = in.timespec(b.args[0])
	case clockCall:
		w.timeout, err = in.timespec(b.args[2])
		if b.args[1]&unix.TIMER_ABSTIME != 0 {
			w.timeout -= clock(int32(b.args[0]))
		}
	case futexCall:
		w.timeout, err = in.futex(b.args)
	}
	return w, err
}

// guess reports whether a process with one thread reads the terminal. It serves where the kernel hides the system call
// but shows the kernel function in which the thread sleeps. Yama's ptrace_scope 2 and 3 have this effect. The function
// for reading a terminal also serves reads of sockets and of inotify. guess therefore rejects a process that has one of
// these open.
func (in *inspector) guess() (wait, bool) {
	if in.Threads != 1 || in.State != 'S' {
		return wait{}, false
	}
	var buf [64]byte
	where, err := uncached.read(buf[:], procFile{pid: in.PID, name: "wchan"})
	if err != nil || string(where) != "wait_woken" && string(where) != "n_tty_read" {
		return wait{}, false
	}
	input, err := in.add(nil, 0, unix.POLLIN)
	if err != nil || len(input) != 1 || input[0] != terminalSource {
		return wait{}, false
	}
	if slices.ContainsFunc(in.descriptors(), func(fd int) bool {
		link := in.link(fd)
		return strings.HasPrefix(link, "socket:") || strings.Contains(link, "inotify")
	}) {
		return wait{}, false
	}
	w := forEver
	w.call, w.guessed, w.sources = "read", true, input
	return w, true
}

// Operations of futex(2), linux/futex.h.
const (
	futexWait       = 0
	futexLockPI     = 6
	futexWaitBitset = 9
	futexMask       = 127
	futexRealtime   = 256
)

func (in *inspector) futex(args [6]uint64) (time.Duration, error) {
	operation := args[1] & futexMask
	switch operation {
	case futexWait, futexWaitBitset, futexLockPI:
	default:
		return -1, nil
	}
	timeout, err := in.timespec(args[3])
	if err != nil || timeout < 0 || operation == futexWait {
		return timeout, err
	}
	// The time is absolute.
	if args[1]&futexRealtime != 0 || operation == futexLockPI {
		return max(0, timeout-clock(unix.CLOCK_REALTIME)), nil
	}
	return max(0, timeout-clock(unix.CLOCK_MONOTONIC)), nil
}

func clock(id int32) time.Duration {
	var now unix.Timespec
	if unix.ClockGettime(id, &now) != nil {
		return 0 // the thread then seems to sleep long, as if it did not wake by itself
	}
	return time.Duration(now.Nano())
}

// milliseconds converts the timeout of poll(2). A negative int means no timeout.
func milliseconds(arg uint64) time.Duration {
	if ms := int32(arg); ms >= 0 {
		return time.Duration(ms) * time.Millisecond
	}
	return -1
}

// timespec reads a timeout from the process. Address 0 means no timeout.
func (in *inspector) timespec(address uint64) (time.Duration, error) {
	if address == 0 {
		return -1, nil
	}
	var raw [16]byte
	if err := in.memory(raw[:], address); err != nil {
		return 0, err
	}
	const most = int64(time.Hour * 24 * 365 * 100 / time.Second)
	seconds := min(int64(binary.NativeEndian.Uint64(raw[:8])), most)
	rest := min(int64(binary.NativeEndian.Uint64(raw[8:])), int64(time.Second))
	return max(0, time.Duration(seconds)*time.Second+time.Duration(rest)), nil
}

// memory copies memory of the process, process_vm_readv(2). The kernel does not change the arguments of a system call
// until the call returns.
func (in *inspector) memory(p []byte, address uint64) error {
	local := []unix.Iovec{{Base: unsafe.SliceData(p)}}
	local[0].SetLen(len(p))
	n, err := unix.ProcessVMReadv(in.PID, local, []unix.RemoteIovec{{Base: uintptr(address), Len: len(p)}}, 0)
	switch {
	case err != nil:
		return proc.Fault(err)
	case n < len(p):
		return proc.ErrGone // the process has run, and the memory is no longer there
	}
	return nil
}

// polled lists what poll(2) waits for.
func (in *inspector) polled(address, count uint64) ([]source, error) {
	if count == 0 {
		return nil, nil
	}
	if count > maxPolled {
		return []source{otherSource}, nil
	}
	raw := make([]byte, 8*count)
	if err := in.memory(raw, address); err != nil {
		return nil, err
	}
	var sources []source
	var err error
	for ; len(raw) > 0 && err == nil; raw = raw[8:] {
		fd := int(int32(binary.NativeEndian.Uint32(raw)))
		sources, err = in.add(sources, fd, uint32(binary.NativeEndian.Uint16(raw[4:])))
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
		if err := in.memory(raw, sets[i]); err != nil {
			return nil, err
		}
		for word := 0; word < len(raw)/8; word++ {
			bits := binary.NativeEndian.Uint64(raw[8*word:])
			for bit := range 64 {
				fd := 64*word + bit
				if bits&(1<<bit) == 0 || fd >= int(count) {
					continue
				}
				var err error
				if sources, err = in.add(sources, fd, events); err != nil {
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
		// tfd:        5 events:       19 data:                5  pos:0 ino:a0e sdev:d
		rest, ok := bytes.CutPrefix(line, []byte("tfd:"))
		if !ok {
			continue
		}
		before, after, _ := bytes.Cut(rest, []byte("events:"))
		fd, err := strconv.Atoi(string(bytes.TrimSpace(before)))
		if err != nil {
			continue
		}
		word, _, _ := bytes.Cut(bytes.TrimSpace(after), []byte(" "))
		events, err := strconv.ParseUint(string(word), 16, 32)
		if err != nil {
			continue
		}
		if len(sources) >= maxPolled {
			return append(sources, otherSource), nil
		}
		if sources, err = in.addAt(sources, fd, uint32(events), depth); err != nil {
			return nil, err
		}
	}
	return sources, nil
}
