//go:build unix && !darwin

package start

import "golang.org/x/sys/unix"

// pipe makes a pipe whose ends are closed on exec and do not block.
func pipe(ends *[2]int) error { return unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK) }
