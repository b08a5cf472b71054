//go:build unix

package wire

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// The descriptors of a new holder, in the order in which its starter gives them. Standard input is that of the starter, for the
// command; standard output is /dev/null. What the holder answers goes to its standard error, where Go's runtime also says why a
// holder cannot run. The two ends of the pipe of make's job server are there only when the starter has them.
const (
	nullDescriptor     = 1
	answerDescriptor   = 2
	requestDescriptor  = 3
	firstJobDescriptor = 4
	endOfDescriptors   = 6
)

// A channel is the holder's end of the start-up channel, which consists of two pipes.
type channel struct {
	Duplex
	jobs []*os.File
}

// StartUpChannel returns the holder's end of the start-up channel, ready for reading.
func StartUpChannel() (*channel, error) {
	if !isPipe(requestDescriptor) || !isPipe(answerDescriptor) {
		return nil, errors.New("hold cannot be started by hand: devtools run starts sessions")
	}
	c := &channel{}
	unix.CloseOnExec(requestDescriptor)
	if isPipe(firstJobDescriptor) {
		for fd := firstJobDescriptor; fd < endOfDescriptors; fd++ {
			unix.CloseOnExec(fd)
			c.jobs = append(c.jobs, os.NewFile(uintptr(fd), "job server"))
		}
	}
	answer, err := unix.FcntlInt(answerDescriptor, unix.F_DUPFD_CLOEXEC, endOfDescriptors)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	c.Duplex = Duplex{In: os.NewFile(requestDescriptor, "start-up"), Out: os.NewFile(uintptr(answer), "start-up")}
	return c, nil
}

func isPipe(fd int) bool {
	var info unix.Stat_t
	return unix.Fstat(fd, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFIFO
}

// Take returns the standard input for the command if its spec has Stdin, and the pipe of the job server if it has Jobs. It lets go of
// what the spec does not have.
func (c *channel) Take(spec Spec) (stdin *os.File, jobs []*os.File, err error) {
	if spec.Stdin {
		fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, endOfDescriptors)
		if err != nil {
			return nil, nil, os.NewSyscallError("fcntl", err)
		}
		stdin = os.NewFile(uintptr(fd), "standard input")
	}
	if spec.Jobs && len(c.jobs) == 0 {
		return nil, nil, errors.New("the pipe of make's job server did not arrive")
	}
	if !spec.Jobs {
		for _, f := range c.jobs {
			_ = f.Close() // nothing was written
		}
		c.jobs = nil
	}
	return stdin, c.jobs, os.NewSyscallError("dup", unix.Dup2(nullDescriptor, 0))
}

// OwnError takes the channel from the standard error, on which Go's runtime tells the starter why a holder cannot run. From
// then on only messages go to the starter.
func (c *channel) OwnError() error {
	return os.NewSyscallError("dup", unix.Dup2(nullDescriptor, answerDescriptor))
}
