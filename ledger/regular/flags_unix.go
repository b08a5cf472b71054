//go:build unix

package regular

import "syscall"

// NoFollow makes opening a symbolic link an error, open(2).
const NoFollow = syscall.O_NOFOLLOW

// NonBlock lets a FIFO be opened without waiting for its other end, open(2).
const NonBlock = syscall.O_NONBLOCK

// directory makes opening anything but a folder an error, open(2).
const directory = syscall.O_DIRECTORY
