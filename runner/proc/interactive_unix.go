//go:build unix

package proc

import (
	"strings"
	"syscall"
)

func interactive(info Info) bool {
	ignored, caught, ok := dispositions(info.PID)
	outlives := ignored
	if strings.Contains(info.Name, "ksh") { // ksh93 and mksh have a handler for SIGTERM that does nothing
		outlives |= caught
	}
	return ok && outlives&bit(syscall.SIGTERM) != 0 && ignored&bit(syscall.SIGTTOU) != 0
}

// bit returns the bit of a signal in a mask of dispositions.
func bit(sig syscall.Signal) uint64 { return 1 << (sig - 1) }
