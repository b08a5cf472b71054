//go:build unix

package pty

import (
	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

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

// evidence returns the terminal in the form in which proc looks for the kernel's evidence about it.
func (t *Terminal) evidence() proc.Terminal {
	tty := proc.Terminal{
		Foreground: t.Foreground,
		Modes: func() (proc.Modes, error) {
			m, err := t.Modes()
			return proc.Modes{Canonical: m.Canonical, Echo: m.Echo, Timed: m.Timed}, err
		},
	}
	_ = proc.Control(t.Slave, func(fd int) error { // without the slave's numbers, nothing is found
		var stat unix.Stat_t
		err := unix.Fstat(fd, &stat)
		tty.Device, tty.Filesystem = uint64(stat.Rdev), uint64(stat.Dev)
		return err
	})
	return tty
}
