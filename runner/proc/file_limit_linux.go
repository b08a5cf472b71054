package proc

import (
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// original has the limit that this process was started with. It is kept: once it was found, nothing tells that it was raised.
var original struct {
	once      sync.Once
	fileLimit uint64
}

// fileLimit finds the limit. Go raises it when a program starts, and only package syscall knows what it was: it sets it again for what
// it executes, also if that fails, as here, where there is no program.
func fileLimit() uint64 {
	original.once.Do(func() {
		var limit, raised unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &raised); err != nil || raised.Cur != raised.Max-1 { // Go raises it to this number
			return
		}
		if err := syscall.Exec("", []string{""}, nil); err == nil {
			return
		}
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur == raised.Cur {
			return
		}
		original.fileLimit = limit.Cur
		if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" { // elsewhere the holder takes this process's limit over
			_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &raised) // this process may need many
		}
	})
	return original.fileLimit
}
