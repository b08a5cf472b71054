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
