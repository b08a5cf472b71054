//go:build unix

package pty

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"devtools/ledger"
	"devtools/runner/proc"
)

// A Terminal is both ends of a PTY. The holder keeps the slave open until the tree is gone. So the end of the
// master means the end of the output, and not a moment in which no process had the terminal open.
type Terminal struct {
	Master *os.File // non-blocking, unless blockingMaster
	Slave  *os.File

	discards atomic.Int64 // see Discards; the reader of the output counts them
}

// openTerminal opens a PTY of the given size and makes it the controlling terminal of this process. The
// process must be a session leader without a controlling terminal.
func openTerminal(size ledger.Size) (*Terminal, error) {
	blocking, slave, err := pty.Open()
	switch {
	case errors.Is(err, unix.ENOSPC):
		return nil, fmt.Errorf("open a terminal: %w: %v", proc.ErrNoTerminal, err) // no disk is full
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE), errors.Is(err, unix.ENOMEM):
		return nil, fmt.Errorf("open a terminal: %w", err)
	case err != nil:
		return nil, fmt.Errorf("%w: %v", proc.ErrTerminalRefused, err)
	}
	defer blocking.Close()
	master, err := unpolled(blocking, !blockingMaster) // creack/pty leaves it in blocking mode
	if err != nil {
		return nil, errors.Join(err, slave.Close())
	}
	t := &Terminal{Master: master, Slave: slave}
	if err = t.Resize(size); err == nil && TellsDiscards {
		err = proc.Control(master, func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCPKT, 1) })
	}
	if err == nil {
		err = proc.Control(slave, func(fd int) error { return unix.IoctlSetInt(fd, unix.TIOCSCTTY, 0) })
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %v", proc.ErrTerminalRefused, err), master.Close(), slave.Close())
	}
	return t, nil
}

func try() error {
	master, slave, err := pty.Open()
	if err != nil {
		return err
	}
	return errors.Join(master.Close(), slave.Close())
}

// unpolled returns a duplicate of f, closed on exec, that the runtime's poller does not know. The poller would
// wake up for every piece of output, though a thread already waits for it.
func unpolled(f *os.File, nonBlocking bool) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3) // Fd makes f blocking, so NewFile keeps it from the poller
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	file := os.NewFile(uintptr(fd), f.Name())
	if err := unix.SetNonblock(fd, nonBlocking); err != nil {
		return nil, errors.Join(os.NewSyscallError("fcntl", err), file.Close())
	}
	return file, nil
}

// Write types p. It waits while the terminal takes no more.
func (t *Terminal) Write(p []byte) error {
	return proc.Control(t.Master, func(fd int) error {
		for len(p) > 0 {
			n, err := unix.Write(fd, p)
			switch err {
			case nil:
				p = p[n:]
			case unix.EINTR:
			case unix.EAGAIN:
				if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, -1); err != nil && err != unix.EINTR {
					return os.NewSyscallError("poll", err)
				}
			default:
				return os.NewSyscallError("write", err)
			}
		}
		return nil
	})
}

// Resize sets the size of the terminal. The foreground process group gets SIGWINCH.
func (t *Terminal) Resize(size ledger.Size) error {
	return proc.Control(t.Master, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(size.Rows), Col: uint16(size.Cols)})
	})
}

// Settings returns all settings of the line discipline as text. The text changes when one of the settings
// does. It is "" if they cannot be read.
func (t *Terminal) Settings() (text string) {
	_ = proc.Control(t.Master, func(fd int) error {
		settings, err := unix.IoctlGetTermios(fd, getTermios)
		if err == nil {
			text = fmt.Sprint(*settings)
		}
		return err
	})
	return text
}

// Modes returns the settings of the line discipline, which the master sees too.
func (t *Terminal) Modes() (m Modes, err error) {
	err = proc.Control(t.Master, func(fd int) error {
		settings, err := unix.IoctlGetTermios(fd, getTermios)
		if err == nil {
			m = Modes{
				Signals:   settings.Lflag&unix.ISIG != 0,
				Canonical: settings.Lflag&unix.ICANON != 0,
				Echo:      settings.Lflag&unix.ECHO != 0,
				Timed:     settings.Cc[unix.VMIN] == 0 && settings.Cc[unix.VTIME] != 0,
			}
		}
		return err
	})
	return m, err
}

// TakesItself reports whether data is one character on which the terminal acts itself, so that no program reads it. In its
// present modes the character makes a signal (ISIG), or stops or resumes the output (IXON).
func (t *Terminal) TakesItself(data []byte) (takes bool) {
	if len(data) != 1 || data[0] == 0 { // 0 turns a special character off (_POSIX_VDISABLE)
		return false
	}
	c := data[0]
	_ = proc.Control(t.Master, func(fd int) error {
		settings, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return err
		}
		cc := settings.Cc
		takes = settings.Lflag&unix.ISIG != 0 && (c == cc[unix.VINTR] || c == cc[unix.VQUIT] || c == cc[unix.VSUSP]) ||
			settings.Iflag&unix.IXON != 0 && (c == cc[unix.VSTART] || c == cc[unix.VSTOP])
		return nil
	})
	return takes
}

// KillsLine reports whether the last character of data makes the terminal forget the line that is being typed, in canonical mode.
// KILL does, and a character that makes a signal, unless NOFLSH is set: termios(3).
func (t *Terminal) KillsLine(data []byte) (kills bool) {
	if len(data) == 0 || data[len(data)-1] == 0 { // as in TakesItself
		return false
	}
	_ = proc.Control(t.Master, func(fd int) error {
		settings, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return err
		}
		c, cc := data[len(data)-1], settings.Cc
		signals := settings.Lflag&unix.ISIG != 0 && (c == cc[unix.VINTR] || c == cc[unix.VQUIT] || c == cc[unix.VSUSP])
		kills = settings.Lflag&unix.ICANON != 0 && (c == cc[unix.VKILL] || signals && settings.Lflag&unix.NOFLSH == 0)
		return nil
	})
	return kills
}

// Editing reports whether the terminal is set as readline sets it to edit a line. A program that only reads
// single keys leaves CR translated.
func (t *Terminal) Editing() (editing bool) {
	_ = proc.Control(t.Master, func(fd int) error {
		settings, err := unix.IoctlGetTermios(fd, getTermios)
		editing = err == nil && settings.Lflag&(unix.ICANON|unix.ECHO) == 0 && settings.Iflag&unix.ICRNL == 0
		return err
	})
	return editing
}

// TakeForeground makes the holder's own process group the foreground one. A late reader is then stopped by
// SIGTTIN, and a control character reaches no program.
func (t *Terminal) TakeForeground() error {
	return proc.Control(t.Slave, func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, unix.Getpgrp()) })
}

// Foreground returns the foreground process group, tcgetpgrp(3).
func (t *Terminal) Foreground() (group int, err error) {
	err = proc.Control(t.Master, func(fd int) error {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return group, err
}

// gather is how long output that comes in a flood is gathered before it is handed on.
const gather = 2 * time.Millisecond

// Printed reports whether there is output that the reader has not read. A poll(2) of the master makes the
// kernel's line discipline pass on the output on its way from the slave.
func (t *Terminal) Printed() bool {
	if blockingMaster {
		return false // the reader waits for output in read(2), and gets it at once
	}
	there := false
	_ = proc.Control(t.Master, func(fd int) error { // a closed master has no output
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		there = err == nil && n > 0
		return err
	})
	return there
}

// pieceBytes is the most bytes that the kernel's terminal hands over at a time, N_TTY_BUF_SIZE less one.
const pieceBytes = 4095

// ReadAvailable reads the output that f has into buffer. It waits for the first byte, and idle is true while
// it waits for it. The error is io.EOF when no writer is left.
//
// The kernel prepares each piece of a terminal's output only when the one before was taken. So a thread reads
// a flood, and waits for it in poll(2) itself. As much as comes within the time of gather is handed on
// together, because passing a piece on costs more than reading it.
//
// tty is the terminal of which f is the master, nil for a pipe.
func ReadAvailable(f *os.File, tty *Terminal, buffer []byte, idle *atomic.Bool) (n int, err error) {
	packets := tty != nil && TellsDiscards
	most := len(buffer)
	if packets {
		most-- // room for the byte before each packet
	}
	failed := proc.Control(f, func(fd int) error {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		var since time.Time
		for n < most {
			if blockingMaster {
				idle.Store(true)
			}
			m, errno := readNow(fd, buffer[n:])
			if blockingMaster {
				idle.Store(false)
			}
			switch {
			case errno == syscall.EINTR:
			case errno == syscall.EAGAIN:
				wait := -1
				if n > 0 {
					if n < pieceBytes || time.Since(since) > gather {
						return nil
					}
					wait = int(gather / time.Millisecond)
				}
				idle.Store(wait < 0)
				ready, err := unix.Poll(poll, wait)
				idle.Store(false)
				if err != nil && err != unix.EINTR {
					return os.NewSyscallError("poll", err)
				} else if err == nil && ready == 0 {
					return nil
				}
			case errno == syscall.EIO || errno == nil && m == 0: // a PTY ends with EIO, tty_ioctl(4)
				return io.EOF
			case errno != nil:
				return os.NewSyscallError("read", errno)
			default:
				if packets {
					m = tty.unpack(buffer[n : n+m])
				}
				if n == 0 {
					since = time.Now()
				}
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

// unpack takes the first byte off a packet, which says what the packet is (tty_ioctl(2), TIOCPKT). It returns how many bytes
// of output are left in the packet. Only a packet without output tells of an event.
func (t *Terminal) unpack(packet []byte) (n int) {
	if packet[0] != unix.TIOCPKT_DATA {
		if packet[0]&unix.TIOCPKT_FLUSHREAD != 0 {
			t.discards.Add(1)
		}
		return 0
	}
	return copy(packet, packet[1:])
}

// Discards returns how often the input was flushed so far: by a program (tcflush(3), TCSAFLUSH), or by a key that makes a
// signal. Bytes that no program had read by then are lost. It is always 0 where TellsDiscards is false.
func (t *Terminal) Discards() int64 {
	if !TellsDiscards {
		return 0
	}
	pending := int64(0)
	_ = proc.Control(t.Master, func(fd int) error { // a closed master has no input
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLPRI}}
		if _, err := unix.Poll(poll, 0); err == nil && poll[0].Revents&unix.POLLPRI != 0 {
			pending = 1 // the kernel tells of it, and the reader of the output has not taken the news
		}
		return nil
	})
	return t.discards.Load() + pending
}

// Unread returns how many typed bytes no program has read yet. In canonical mode these are the bytes of whole
// lines. A poll(2) of the slave first makes the kernel's line discipline take in the bytes on their way from
// the master.
func (t *Terminal) Unread() (n int, err error) {
	err = proc.Control(t.Slave, func(fd int) error {
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0); err != nil && err != unix.EINTR {
			return err
		}
		n, err = unix.IoctlGetInt(fd, inputQueue)
		return err
	})
	return n, err
}

// DiscardInput discards the typed bytes that no program has read.
func (t *Terminal) DiscardInput() error { return proc.Control(t.Slave, discardInput) }

// Device returns the numbers of the slave and of its file system, st_rdev and st_dev of stat(2). They are 0 if they are
// unknown.
func (t *Terminal) Device() (device, filesystem uint64) {
	_ = proc.Control(t.Slave, func(fd int) error { // without the numbers no evidence is found
		var stat unix.Stat_t
		err := unix.Fstat(fd, &stat)
		device, filesystem = uint64(stat.Rdev), uint64(stat.Dev)
		return err
	})
	return device, filesystem
}
