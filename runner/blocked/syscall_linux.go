package blocked

import (
	"bytes"
	"errors"
	"strconv"

	"devtools/runner/proc"
)

// A call is a system call that may block.
type call struct {
	name    string
	awaited awaited
	timeout timeoutForm
	at      uint8 // index of the argument that has the timeout
}

// awaited is what a call waits for, and the arguments that name it.
type awaited uint8

const (
	awaitsNothing awaited = iota // only time, or another thread
	awaitsRead                   // fd
	awaitsPoll                   // fds, count
	awaitsSelect                 // count, read, write, except
	awaitsEpoll                  // fd
	awaitsUring                  // fd
	awaitsChild                  // its end, or that it executes a program
	awaitsOther                  // restart_syscall(2): the arguments are those of the interrupted call
)

// A timeoutForm is the form of the argument that has the timeout.
type timeoutForm uint8

const (
	noTimeout timeoutForm = iota
	inMilliseconds
	inTimespec
	inTimeval
	inClockTime // timespec of clock_nanosleep(2)
	inFutexTime // timespec of futex(2)
)

// A syscallLine is a line of proc_pid_syscall(5). It describes a thread that sleeps in a system call.
type syscallLine struct {
	number  int
	args    [6]uint64
	running bool // it is on a processor or ready to run
}

var errSyscall = errors.New("syscall is not in the format of proc_pid_syscall(5)")

// parseSyscall reads the file syscall of a thread. The number is -1 for a running thread, and for a thread that sleeps
// outside a system call.
func parseSyscall(line []byte) (b syscallLine, err error) {
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
		return syscallLine{number: -1}, nil
	case sp < 1<<32:
		// A 32-bit program has other numbers for its calls.
		return b, proc.ErrNotPermitted
	}
	b.number = number
	return b, nil
}
