package runner

import (
	"errors"
	"syscall"
)

func forkInto(cgroup, programOptions, *syscall.ProcAttr) (int, error) {
	return 0, errors.ErrUnsupported
}
