//go:build unix

package runner

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// startUpDescriptor is the holder's end of the start-up channel.
const startUpDescriptor = 3

// spawnHolder starts a holder, with nothing of ours but its end of the start-up channel. It returns our
// end.
func spawnHolder() (*net.UnixConn, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer ours.Close() // FileConn duplicates it
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	self, err := executable()
	if err == nil {
		err = forkDetached(self, []string{os.Args[0], "hold"}, []uintptr{null.Fd(), null.Fd(), null.Fd(), theirs.Fd()})
	}
	if err != nil {
		return nil, os.NewSyscallError("fork/exec", err)
	}
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

// prepare spawns the holder: it starts while the command line is taken apart.
func (s *Starter) prepare() {
	conn, err := spawnHolder()
	if s.err = err; err == nil {
		s.conn = conn
	}
}

// send gives the spec to the holder, and stdin, when it is not nil, as a descriptor that comes with it
// (SCM_RIGHTS, unix(7)).
func (s *Starter) send(spec Spec, stdin *os.File) (io.ReadWriteCloser, error) {
	if s.err != nil {
		return nil, s.err
	}
	line, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	line = append(line, '\n')
	conn := s.conn.(*net.UnixConn)
	if stdin != nil {
		var n int
		err := control(stdin, func(fd int) (err error) { // others may share its flags, which Fd would change
			n, _, err = conn.WriteMsgUnix(line, unix.UnixRights(fd), nil)
			return err
		})
		if err != nil {
			return nil, err
		}
		line = line[n:]
	}
	_, err = conn.Write(line)
	return conn, err
}

// startUpChannel returns the holder's end of the channel, with a reader of it.
func startUpChannel() (*channel, error) {
	unix.CloseOnExec(startUpDescriptor)
	f := os.NewFile(startUpDescriptor, "start-up")
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, errors.New("hold: started by hand; devtools run starts sessions")
	}
	return &channel{UnixConn: conn.(*net.UnixConn)}, f.Close()
}

// A channel is the holder's end of the start-up channel. The first read takes the descriptor that comes
// with it.
type channel struct {
	*net.UnixConn
	begun bool
	input *os.File // the standard input for the command, or nil
}

func (c *channel) Read(p []byte) (int, error) {
	if c.begun {
		return c.UnixConn.Read(p)
	}
	c.begun = true
	rights := make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := c.ReadMsgUnix(p, rights)
	if err != nil || m == 0 {
		if n == 0 && err == nil {
			err = io.EOF
		}
		return n, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:m])
	if err != nil {
		return n, err
	}
	for _, message := range messages {
		if fds, err := unix.ParseUnixRights(&message); err == nil && len(fds) == 1 {
			c.input = os.NewFile(uintptr(fds[0]), "stdin") // close-on-exec, as ReadMsgUnix makes it
		}
	}
	return n, nil
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
