//go:build amd64 || arm64

package fork

import (
	"errors"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func start(path string, argv []string, attr *syscall.ProcAttr, as Settings) (pid int, err error) {
	dir, err := syscall.BytePtrFromString(attr.Dir)
	if err != nil {
		return 0, err
	}
	steps := as.Steps()
	if attr.Dir != "" {
		steps = append(steps, Step{What: "working directory", Trap: unix.SYS_CHDIR, Args: [6]uintptr{uintptr(unsafe.Pointer(dir))}, Keep: dir})
	}
	pid, err = Exec(path, argv, attr, steps)
	if step, ok := errors.AsType[*StepError](err); ok {
		err = step.Err
	}
	return pid, err
}
