//go:build unix

package wire

import (
	"errors"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// startUpDescriptor is the holder's end of the start-up channel.
const startUpDescriptor = 3

// StartUpChannel returns the holder's end of the start-up channel, ready for reading.
func StartUpChannel() (*channel, error) {
	unix.CloseOnExec(startUpDescriptor)
	f := os.NewFile(startUpDescriptor, "start-up")
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, errors.New("hold cannot be started by hand: devtools run starts sessions")
	}
	return &channel{UnixConn: conn.(*net.UnixConn)}, f.Close()
}

// OwnError takes the channel from the standard error, on which Go's runtime tells the starter why a holder cannot run. From
// then on only messages go to the starter.
func (c *channel) OwnError() error { return os.NewSyscallError("dup", unix.Dup2(1, 2)) }

// maxFiles is how many files come with the spec at most: standard input and the two of a job server.
const maxFiles = 3

// A channel is the holder's end of the start-up channel. The first read also takes the file descriptors
// that come with the data.
type channel struct {
	*net.UnixConn
	begun bool
	Files []*os.File // for the command: standard input, if its spec has Stdin, then the job server's, if it has Jobs
}

func (c *channel) Read(p []byte) (int, error) {
	if c.begun {
		return c.UnixConn.Read(p)
	}
	c.begun = true
	rights := make([]byte, unix.CmsgSpace(4*maxFiles))
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
		fds, err := unix.ParseUnixRights(&message)
		for _, fd := range fds {
			c.Files = append(c.Files, os.NewFile(uintptr(fd), "handed file")) // ReadMsgUnix makes it close-on-exec
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
