//go:build unix

package commands

import "syscall"

// redoSignal makes a watch build and start its program again, as its key r does.
const redoSignal = syscall.SIGUSR1
