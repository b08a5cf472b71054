//go:build unix

package start

import (
	"io"
	"net"
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

// spawnHolder starts a holder and returns this process's end of the start-up channel. The holder gets only the other end
// of the channel and no other file of this process. The other end is its standard error too, for what Go's runtime says of a
// holder that cannot run.
func spawnHolder(fork forkFunc) (*net.UnixConn, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer ours.Close() // FileConn duplicates it
	defer theirs.Close()
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0) // os.OpenFile would make five more system calls
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: os.DevNull, Err: err}
	}
	defer unix.Close(null)
	self, err := track.Executable()
	if err == nil {
		env := append([]string{oneProcessor}, track.Unmarked(os.Environ())...)
		err = fork(self, []string{os.Args[0], "hold"}, env, []uintptr{uintptr(null), uintptr(null), theirs.Fd(), theirs.Fd()})
	}
	if err != nil {
		return nil, proc.ForkError(os.NewSyscallError("fork/exec", err))
	}
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

func (s *Starter) prepareDetached() { s.prepare(fork.Detached) }

func (s *Starter) prepareChild() { s.prepare(fork.Child) }

// prepare spawns the holder early: it starts while this process parses the command line.
func (s *Starter) prepare(fork forkFunc) {
	conn, err := spawnHolder(fork)
	if s.err = err; err == nil {
		s.conn = conn
	}
}

// Send gives the spec to the holder. The files are sent along as descriptors (SCM_RIGHTS, unix(7)).
func (s *Starter) Send(spec wire.Spec, files ...*os.File) (io.ReadWriteCloser, error) {
	if s.err != nil {
		return nil, s.err
	}
	line, err := wire.Line(spec)
	if err != nil {
		return nil, err
	}
	conn := s.conn.(*net.UnixConn)
	if len(files) > 0 {
		var fds []int
		for _, f := range files { // other processes may share its flags, which Fd would change
			_ = proc.Control(f, func(fd int) error { fds = append(fds, fd); return nil })
		}
		n, _, err := conn.WriteMsgUnix(line, unix.UnixRights(fds...), nil)
		runtime.KeepAlive(files)
		if err != nil {
			return nil, err
		}
		if line = line[n:]; len(line) == 0 {
			return conn, nil // a quick command may be over, and writing nothing would fail like any other write
		}
	}
	_, err = conn.Write(line)
	return conn, err
}

// socketPair returns two connected Unix sockets that are closed on exec.
func socketPair() (ours, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	return os.NewFile(uintptr(pair[0]), "start-up"), os.NewFile(uintptr(pair[1]), "start-up"), nil
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
	for _, fd := range fds {
		pipe = append(pipe, os.NewFile(uintptr(fd), "job server"))
	}
	return pipe
}
