//go:build unix

package runner

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// startUpDescriptor is the holder's end of the start-up channel. The standard input for the command,
// if there is one, is the next descriptor.
const startUpDescriptor = 3

// spawnHolder starts a holder, in a session of its own and with nothing of ours but its end of the
// start-up channel and, when stdin is not nil, that. It returns our end.
func spawnHolder(stdin *os.File) (io.ReadWriteCloser, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	defer null.Close()
	files := []*os.File{null, null, null, theirs}
	if stdin != nil {
		files = append(files, stdin)
	}
	self, err := executable()
	if err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	attr := &syscall.ProcAttr{Env: os.Environ(), Sys: &syscall.SysProcAttr{Setsid: true}}
	for _, f := range files {
		attr.Files = append(attr.Files, f.Fd())
	}
	// It outlives us and we never wait for it, so it needs no os.Process, whose first use costs a fork.
	if _, err := syscall.ForkExec(self, []string{os.Args[0], "hold"}, attr); err != nil {
		return nil, errors.Join(os.NewSyscallError("fork/exec", err), ours.Close())
	}
	conn, err := net.FileConn(ours)
	return conn, errors.Join(err, ours.Close())
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

// startUpChannel returns the holder's end of the channel.
func startUpChannel() (io.ReadWriteCloser, error) {
	unix.CloseOnExec(startUpDescriptor)
	f := os.NewFile(startUpDescriptor, "start-up")
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, errors.New("hold: started by hand; devtools run starts sessions")
	}
	return conn, f.Close()
}
