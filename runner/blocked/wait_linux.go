package blocked

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

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
	if c.name == "" {
		return wait{works: true}, nil
	}
	w := forEver
	w.call = c.name
	if c.awaited == awaitsOther {
		poll, err := in.restarted(tid)
		if err != nil {
			return wait{}, err
		}
		if !poll {
			w.timeout = 0
			return w, nil
		}
		c.awaited, c.timeout, c.at = awaitsPoll, inMilliseconds, 2
	}
	switch c.awaited {
	case awaitsNothing:
		w.noFiles = true
	case awaitsSelect:
		w.noFiles = b.args[0] == 0
	case awaitsPoll:
		w.noFiles = b.args[1] == 0
	}
	w.read, w.uring, w.child = c.awaited == awaitsRead, c.awaited == awaitsUring, c.awaited == awaitsChild
	if w.timeout, err = in.timeout(c, &b.args); err == nil {
		w.sources, err = in.sources(c.awaited, &b.args)
	}
	return w, err
}

// restarted reports whether the call that restart_syscall(2) continues is poll(2). The kernel function in which the
// thread sleeps tells which call that was.
func (in *inspector) restarted(tid int) (poll bool, err error) {
	var buf [128]byte
	where, err := proc.ReadInto(buf[:], procFile{in.PID, tid, "wchan"}.path())
	return restartsPoll && bytes.Contains(where, []byte("poll")), err
}

// sources lists the files that a call waits for.
func (in *inspector) sources(a awaited, args *[6]uint64) ([]source, error) {
	fd := int(int32(args[0]))
	switch a {
	case awaitsRead:
		return in.addSource(nil, fd, unix.POLLIN)
	case awaitsPoll:
		return in.polled(args[0], args[1])
	case awaitsSelect:
		return in.selected(args[0], args[1:4])
	case awaitsEpoll:
		return in.epoll(nil, fd, 0)
	case awaitsUring:
		return in.uring(fd)
	}
	return nil, nil
}

// timeout returns the time until a call returns by itself, negative for never.
func (in *inspector) timeout(c call, args *[6]uint64) (time.Duration, error) {
	switch c.timeout {
	case inMilliseconds:
		return milliseconds(args[c.at]), nil
	case inFutexTime:
		return in.futex(args)
	case noTimeout:
		return -1, nil
	}
	timeout, err := in.timespec(args[c.at])
	switch {
	case c.timeout == inTimeval && timeout > 0:
		timeout = timeout.Truncate(time.Second) + timeout%time.Second*1000 // from a timeval, in microseconds
	case c.timeout == inClockTime && args[1]&unix.TIMER_ABSTIME != 0:
		timeout -= clock(int32(args[0]))
	}
	return timeout, err
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
	where, err := proc.ReadInto(buf[:], in.path("wchan"))
	if err != nil || string(where) != "wait_woken" && string(where) != "n_tty_read" {
		return wait{}, false
	}
	input, err := in.addSource(nil, 0, unix.POLLIN)
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

func (in *inspector) futex(args *[6]uint64) (time.Duration, error) {
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
	if err := in.readMemory(raw[:], address); err != nil {
		return 0, err
	}
	const most = int64(time.Hour * 24 * 365 * 100 / time.Second)
	seconds := min(int64(binary.NativeEndian.Uint64(raw[:8])), most)
	rest := min(int64(binary.NativeEndian.Uint64(raw[8:])), int64(time.Second))
	return max(0, time.Duration(seconds)*time.Second+time.Duration(rest)), nil
}
