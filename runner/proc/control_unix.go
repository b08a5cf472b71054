//go:build unix

package proc

import "os"

// Control calls f with the descriptor of file. It does not use File.Fd, which would make the descriptor blocking.
func Control(file *os.File, f func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = f(int(fd)) }); err != nil {
		return err
	}
	return failed
}
