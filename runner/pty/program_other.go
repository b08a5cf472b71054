//go:build unix && !linux

package pty

import (
	"errors"
	"syscall"

	"devtools/runner/proc"
)

func forkInto(proc.Cgroup, Options, *syscall.ProcAttr) (int, error) {
	return 0, errors.ErrUnsupported
}

// peek returns -1, for any child. On macOS a process that has ended is not looked at.
func peek(int) (pid int, err error) { return -1, nil }
