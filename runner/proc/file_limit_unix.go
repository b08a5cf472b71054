//go:build unix

package proc

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// original has the limit that this process was started with. It is kept: where the process has it again, nothing tells that it was raised.
var original struct {
	once      sync.Once
	fileLimit uint64
}

// FileLimit returns the soft limit of open files (RLIMIT_NOFILE, getrlimit(2)) that this process was started with, or 0 if it was not
// raised. Except on Linux on amd64 and arm64, the process has that limit again afterwards. Each Go program raises the limit when it
// starts, and only package syscall knows what it was: it sets it again for what it executes, also if that fails, as here, where there
// is no program.
func FileLimit() uint64 {
	original.once.Do(func() { original.fileLimit = findFileLimit() })
	return original.fileLimit
}

func findFileLimit() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur != limit.Max-1 { // Go raises it to this number
		return 0
	}
	raised := limit
	if err := syscall.Exec("", []string{""}, nil); err == nil {
		return 0
	}
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur == raised.Cur {
		return 0
	}
	raiseFileLimit(raised)
	return uint64(limit.Cur)
}
