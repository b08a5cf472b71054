//go:build unix

package commands

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// hasInput reports whether a pipe, a socket or a file has something to read. Of a terminal it reports false.
func hasInput(file *os.File) bool {
	info, err := file.Stat()
	switch {
	case err != nil:
		return false
	case info.Mode().IsRegular():
		at, err := file.Seek(0, io.SeekCurrent)
		return err == nil && at < info.Size()
	case info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0:
		return false
	}
	polled := []unix.PollFd{{Fd: int32(file.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(polled, 0)
	return err == nil && n > 0 && polled[0].Revents&unix.POLLIN != 0 // at its end, Linux says POLLHUP alone
}

// isPipe reports whether w is a pipe or a socket, whose reader may be gone.
func isPipe(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0
}

// readerGone returns a channel that is closed when nobody can read what is written to a pipe or a socket any more. It tells that
// also when nothing is written.
func readerGone(w io.Writer) <-chan struct{} {
	gone := make(chan struct{})
	if !isPipe(w) {
		return gone
	}
	file := w.(*os.File)
	go func() {
		for {
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(file.Fd())}}, -1) // without events, it reports POLLERR and POLLHUP
			if !errors.Is(err, unix.EINTR) {
				if err == nil {
					close(gone)
				}
				return
			}
		}
	}()
	return gone
}
