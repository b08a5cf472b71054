//go:build unix

package proc

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// original has the limit that this process was started with. It is kept: once the process has it again, nothing tells that it was raised.
var original struct {
	once      sync.Once
	fileLimit uint64
}

// FileLimit returns the soft limit of open files (RLIMIT_NOFILE, getrlimit(2)) that this process was started with, and gives it that
// limit again. It returns 0 if the limit was not raised. Each Go program raises the limit when it starts, and only package syscall
// knows what it was: it sets it again for what it executes, also if that fails, as here, where there is no program.
func FileLimit() uint64 {
	original.once.Do(func() { original.fileLimit = lowerFileLimit() })
	return original.fileLimit
}

func lowerFileLimit() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur != limit.Max-1 { // Go raises it to this number
		return 0
	}
	raised := limit.Cur
	if err := syscall.Exec("", []string{""}, nil); err == nil {
		return 0
	}
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur == raised {
		return 0
	}
	return uint64(limit.Cur)
}
