//go:build unix

package hold

import (
	"os"

	"golang.org/x/sys/unix"
)

// pages returns size bytes of memory, which takes only as many pages as are written to. free gives them back to the system.
func pages(size int) (buffer []byte, free func(), err error) {
	buffer, err = unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return buffer, func() { _ = unix.Munmap(buffer) }, nil
}
