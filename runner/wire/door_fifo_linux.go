package wire

import (
	"bufio"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A sandbox may refuse sockets. The door of a holder there is a FIFO, fifo(7). A client makes two FIFOs beside it, one for each direction,
// and writes a line with their common name into the door, in one write of less than PIPE_BUF bytes, which no other client can split.
// The holder opens both and says so by one byte. From then on they are a connection as any other, and each side learns when the other
// is gone.

// The ends of the paths of a door that is a FIFO, and of the FIFOs of a client.
const (
	fifoSuffix     = ".fifo"
	requestsSuffix = ".requests"
	answersSuffix  = ".answers"
)

// A fifoDoor is the holder's end of a door that is a FIFO.
type fifoDoor struct {
	*os.File
	names *bufio.Reader
	keep  bool // Close leaves the path, which is that of another door
}

// listenFIFO makes the door at path.
func listenFIFO(path string) (net.Listener, error) {
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	f, err := openFIFO(path, os.O_RDWR) // for writing as well, so that it does not end when a client leaves
	if err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return &fifoDoor{File: f, names: bufio.NewReaderSize(f, 512)}, nil // PIPE_BUF of POSIX
}

// openFIFO opens a FIFO without waiting for its other end.
func openFIFO(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, flag|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
}

// Accept waits for a client whose FIFOs can be opened. Without a descriptor for them the error is EMFILE or ENFILE, and the client gets
// no answer.
func (d *fifoDoor) Accept() (net.Conn, error) {
	for {
		line, err := d.names.ReadSlice('\n')
		switch name := strings.TrimSuffix(string(line), "\n"); {
		case errors.Is(err, os.ErrClosed):
			return nil, net.ErrClosed
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case err == nil && name != "" && filepath.Base(name) == name:
			conn, err := answerFIFO(filepath.Join(filepath.Dir(d.Name()), name))
			if err == nil || errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
				return conn, err
			}
		}
	}
}

// answerFIFO opens the FIFOs of a client, and says so.
func answerFIFO(path string) (net.Conn, error) {
	in, err := openFIFO(path+requestsSuffix, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	out, err := openFIFO(path+answersSuffix, os.O_WRONLY)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	conn := Duplex{In: in, Out: out}
	if _, err := conn.Write([]byte{'\n'}); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// Close closes the door and removes it.
func (d *fifoDoor) Close() error {
	if !d.keep {
		removeDoor(d.Name())
	}
	return d.File.Close()
}

// SetUnlinkOnClose says whether Close removes the door, as that of [net.UnixListener] does.
func (d *fifoDoor) SetUnlinkOnClose(unlink bool) { d.keep = !unlink }

// Addr returns the path of the door.
func (d *fifoDoor) Addr() net.Addr { return &net.UnixAddr{Net: "fifo", Name: d.Name()} }

// removeDoor removes a door, and what clients that were killed have left beside it.
func removeDoor(path string) {
	_ = os.Remove(path) // it may be gone already
	if !strings.HasSuffix(path, fifoSuffix) {
		return
	}
	entries, _ := os.ReadDir(filepath.Dir(path)) // those that can be read
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)+".") {
			_ = os.Remove(filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
}

// dialFIFO connects to the door at path. The error is ConnectionRefused if nobody is behind it, and [os.ErrDeadlineExceeded] if the
// holder does not answer.
func dialFIFO(path string) (conn net.Conn, err error) {
	door, err := openFIFO(path, os.O_WRONLY)
	if errors.Is(err, unix.ENXIO) {
		err = &os.PathError{Op: "open", Path: path, Err: ConnectionRefused}
	}
	if err != nil {
		return nil, err
	}
	defer door.Close()
	own := path + "." + strconv.FormatUint(rand.Uint64(), 36)
	var both []*os.File // each open for reading and writing, so that the other side sees no end before this one is ready
	for _, path := range []string{own + requestsSuffix, own + answersSuffix} {
		if err := unix.Mkfifo(path, 0o600); err != nil {
			return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
		}
		defer os.Remove(path)
		f, err := openFIFO(path, os.O_RDWR)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		both = append(both, f)
	}
	_, err = door.Write([]byte("\n" + filepath.Base(own) + "\n"))
	if err == nil {
		err = awaitAnswer(both[1], door)
	}
	if err != nil {
		return nil, err
	}
	in, err := openFIFO(own+answersSuffix, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	out, err := openFIFO(own+requestsSuffix, os.O_WRONLY)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return Duplex{In: in, Out: out}, nil
}

// awaitAnswer waits until the holder behind the door says that it has opened the FIFO answers. A door that the holder has closed has an
// error, poll(2).
func awaitAnswer(answers, door *os.File) error {
	for end := time.Now().Add(AnswerTime); ; {
		polled := []unix.PollFd{{Fd: int32(answers.Fd()), Events: unix.POLLIN}, {Fd: int32(door.Fd())}}
		n, err := unix.Poll(polled, max(0, int(time.Until(end).Milliseconds())))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return os.NewSyscallError("poll", err)
		case polled[0].Revents != 0:
			_, err := answers.Read(make([]byte, 1))
			return err
		case n > 0:
			return &os.PathError{Op: "open", Path: door.Name(), Err: ConnectionRefused}
		default:
			return os.ErrDeadlineExceeded
		}
	}
}
