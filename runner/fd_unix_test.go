//go:build unix

package runner_test

import (
	"os"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// setCloseOnExec says whether a program that this process starts gets f.
func setCloseOnExec(f *os.File, on bool) error {
	flags := 0
	if on {
		flags = unix.FD_CLOEXEC
	}
	return proc.Control(f, func(fd int) error {
		_, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, flags)
		return err
	})
}
