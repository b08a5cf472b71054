//go:build unix

package start

import (
	"errors"
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"devtools/runner/fork"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// oneProcessor makes Go's scheduler run a holder on one processor: it starts fewer threads, and does not look every second
// how many processors there are. A holder whose program prints much takes more (hold/output.go). The variable is for the
// holder alone: its program gets the environment of the caller.
const oneProcessor = "GOMAXPROCS=1"

// A forkFunc starts the program at path with the environment, with files as its descriptors, in a kernel session of its own.
type forkFunc func(path string, argv, environment []string, files []uintptr) error

// spawnHolder starts a holder and returns this process's end of the start-up channel. The holder gets the other ends of its two
// pipes, the standard input and the pipe of make's job server, and no other file of this process (wire.StartUpChannel).
func (s *Starter) spawnHolder(fork forkFunc) (conn wire.Duplex, err error) {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0) // os.OpenFile would make five more system calls
	if err != nil {
		return conn, &os.PathError{Op: "open", Path: os.DevNull, Err: err}
	}
	defer unix.Close(null)
	var requests, answers [2]int
	if err := pipe(&requests); err != nil {
		return conn, os.NewSyscallError("pipe", err)
	}
	defer unix.Close(requests[0])
	if err := pipe(&answers); err != nil {
		return conn, errors.Join(os.NewSyscallError("pipe", err), unix.Close(requests[1]))
	}
	defer unix.Close(answers[1])
	conn = wire.Duplex{In: os.NewFile(uintptr(answers[0]), "start-up"), Out: os.NewFile(uintptr(requests[1]), "start-up")}
	files := []uintptr{uintptr(null), uintptr(null), uintptr(answers[1]), uintptr(requests[0])}
	if s.stdin != nil { // other processes may share its flags, which Fd would change
		_ = proc.Control(s.stdin, func(fd int) error { files[0] = uintptr(fd); return nil })
	}
	for _, f := range s.jobs {
		_ = proc.Control(f, func(fd int) error { files = append(files, uintptr(fd)); return nil })
	}
	self, err := track.Executable()
	if err == nil {
		env := append([]string{oneProcessor}, track.Unmarked(os.Environ())...)
		err = fork(self, []string{os.Args[0], "hold"}, env, files)
		if errors.Is(err, unix.ENOENT) && proc.Foreign() { // the path is in /proc
			err = proc.ErrForeign
		}
	}
	runtime.KeepAlive(s)
	if err != nil {
		return conn, errors.Join(proc.ForkError(os.NewSyscallError("fork/exec", err)), conn.Close())
	}
	return conn, nil
}

func (s *Starter) prepareDetached() { s.prepare(fork.Detached) }

func (s *Starter) prepareChild() { s.prepare(fork.Child) }

// prepare spawns the holder early: it starts while this process parses the command line.
func (s *Starter) prepare(fork forkFunc) {
	conn, err := s.spawnHolder(fork)
	if s.err = err; err == nil {
		s.conn = conn
	}
}

// Send gives the spec to the holder.
func (s *Starter) Send(spec wire.Spec) (io.ReadWriteCloser, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.conn, wire.WriteLine(s.conn, spec)
}

// inheritedJobs returns the two ends of the job server's pipe, if make has left them open for this process. It must be called before
// this process opens a file that may get such a number.
func inheritedJobs() (pipe []*os.File) {
	_, fds := jobserver(os.Getenv("MAKEFLAGS"))
	for _, fd := range fds { // an os.File comes only when both are known for pipes: its clean-up would close what is not ours
		var info unix.Stat_t
		if fd <= 2 || unix.Fstat(fd, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFIFO {
			return nil
		}
	}
	for _, fd := range fds { // above the numbers that the holder's descriptors get
		if fd, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 16); err == nil {
			pipe = append(pipe, os.NewFile(uintptr(fd), "job server"))
		}
	}
	return pipe
}
