//go:build unix

package pty

import "syscall"

// Reap takes the ends of children that started after the tree was gone. Nobody else waits for them.
func Reap() {
	for {
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != syscall.EINTR && pid <= 0 {
			return
		}
	}
}
