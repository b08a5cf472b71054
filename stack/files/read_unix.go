//go:build unix

package files

import "syscall"

// nonBlock makes the opening of a FIFO not wait for its other end, open(2).
const nonBlock = syscall.O_NONBLOCK

// noFollow makes opening fail if the last name is a link.
const noFollow = syscall.O_NOFOLLOW
