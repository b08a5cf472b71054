//go:build unix

package regular

import (
	"sync"
	"syscall"
)

// private is the umask(2) under which only the user can open what a process makes, and the user can.
const private = 0o077

var umask struct {
	once sync.Once
	was  *int
}

// CloseUmask keeps others out of the files, folders and sockets that this process and its children make from now on, whatever the
// umask(2) was, and takes nothing from the user.
func CloseUmask() {
	umask.once.Do(func() {
		was := syscall.Umask(private)
		umask.was = &was
	})
}

// Umask returns the umask before CloseUmask, or nil if that was not called.
func Umask() *int { return umask.was }
