package proc

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// Catches reports whether the process can outlive the signal, or end in a way of its own: it has a handler for it, or ignores
// it. Where the system does not tell, it reports true.
func Catches(pid int, sig syscall.Signal) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil || sig < 1 {
		return true
	}
	for _, field := range []string{"SigCgt:", "SigIgn:"} { // proc_pid_status(5)
		mask, err := strconv.ParseUint(Field(status, field), 16, 64)
		if err != nil || mask&(1<<(sig-1)) != 0 {
			return true
		}
	}
	return false
}
