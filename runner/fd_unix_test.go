//go:build unix

package runner

import (
	"os"

	"golang.org/x/sys/unix"
)

// setCloseOnExec says whether a program that this process starts gets f.
func setCloseOnExec(f *os.File, on bool) error {
	flags := 0
	if on {
		flags = unix.FD_CLOEXEC
	}
	return control(f, func(fd int) error {
		_, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, flags)
		return err
	})
}
