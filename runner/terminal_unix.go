//go:build unix

package runner

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"devtools/ledger"
)

// A terminal is both ends of a PTY. The holder keeps the slave open until the tree is gone, so that
// the end of the master means the end of the output and not a moment in which nobody had it open.
type terminal struct {
	master *os.File // non-blocking, unless blockingMaster
	slave  *os.File
}

// openTerminal opens a PTY of the given size and makes it the controlling terminal of this process,
// which must be a session leader without one.
func openTerminal(size ledger.Size) (*terminal, error) {
	blocking, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer blocking.Close()
	// creack/pty leaves the master in blocking mode, where closing it does not end a read.
	master, err := nonBlocking(blocking)
	if err != nil {
		return nil, errors.Join(err, slave.Close())
	}
	t := &terminal{master, slave}
	if err = t.resize(size); err == nil {
		err = control(slave, func(fd int) error { return unix.IoctlSetInt(fd, unix.TIOCSCTTY, 0) })
	}
	if err != nil {
		return nil, errors.Join(err, master.Close(), slave.Close())
	}
	return t, nil
}

// nonBlocking returns a duplicate of f that does not block, unless blockingMaster, and is closed on exec.
func nonBlocking(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	if err := unix.SetNonblock(fd, !blockingMaster); err != nil {
		return nil, errors.Join(os.NewSyscallError("fcntl", err), unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// control calls f with the descriptor of file, which stays as it is: File.Fd would make it blocking.
func control(file *os.File, f func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = f(int(fd)) }); err != nil {
		return err
	}
	return failed
}

// resize sets the size of the terminal; the foreground process group gets SIGWINCH.
func (t *terminal) resize(size ledger.Size) error {
	return control(t.master, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(size.Rows), Col: uint16(size.Cols)})
	})
}

// modes returns the settings of the line discipline, which the master sees too.
func (t *terminal) modes() (m modes, err error) {
	err = control(t.master, func(fd int) error {
		settings, err := unix.IoctlGetTermios(fd, getTermios)
		if err == nil {
			m = modes{
				Signals:   settings.Lflag&unix.ISIG != 0,
				Canonical: settings.Lflag&unix.ICANON != 0,
				Echo:      settings.Lflag&unix.ECHO != 0,
			}
		}
		return err
	})
	return m, err
}

// takeForeground makes the holder's own process group the foreground one, so that a late reader is
// stopped by SIGTTIN and a control character reaches nobody.
func (t *terminal) takeForeground() error {
	return control(t.slave, func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, unix.Getpgrp()) })
}

// foreground returns the foreground process group, tcgetpgrp(3).
func (t *terminal) foreground() (group int, err error) {
	err = control(t.master, func(fd int) error {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return group, err
}

// readAvailable reads what f has into buffer, waiting for the first byte only. The error is io.EOF
// when no writer is left.
//
// The kernel hands a terminal's output over in pieces of at most 4 KiB, each of which it prepares when
// the one before was taken: the time from a piece's arrival to its reading is what a flood's speed
// depends on. A thread that waits in poll(2) itself is there sooner than one that the runtime's poller
// wakes.
func readAvailable(f *os.File, buffer []byte) (n int, err error) {
	failed := control(f, func(fd int) error {
		wait := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for n < len(buffer) {
			m, errno := syscall.Read(fd, buffer[n:])
			switch {
			case errno == syscall.EINTR:
			case errno == syscall.EAGAIN && n > 0:
				return nil
			case errno == syscall.EAGAIN:
				if _, err := unix.Poll(wait, -1); err != nil && err != unix.EINTR {
					return os.NewSyscallError("poll", err)
				}
			case errno == syscall.EIO || errno == nil && m == 0: // EIO is how a PTY ends, tty_ioctl(4)
				return io.EOF
			case errno != nil:
				return os.NewSyscallError("read", errno)
			default:
				n += m
				if blockingMaster {
					return nil // another read would wait
				}
			}
		}
		return nil
	})
	return n, failed
}
