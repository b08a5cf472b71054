//go:build unix

package files

import "syscall"

// nonBlock has the opening of a FIFO not wait for its other end, open(2).
const nonBlock = syscall.O_NONBLOCK
