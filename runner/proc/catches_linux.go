package proc

import (
	"os"
	"strconv"
	"syscall"
)

// Catches reports whether the process can outlive the signal, or end in a way of its own: it has a handler for it, or ignores
// it. Where the system does not tell, it reports true.
func Catches(pid int, sig syscall.Signal) bool {
	ignored, caught, ok := dispositions(pid)
	return !ok || sig < 1 || (ignored|caught)&bit(sig) != 0
}

// dispositions returns which signals the process ignores and for which it has a handler, proc_pid_status(5).
func dispositions(pid int) (ignored, caught uint64, ok bool) {
	status, err := os.ReadFile(Folder(pid) + "/status")
	if err != nil {
		return 0, 0, false
	}
	ignored, errIgnored := strconv.ParseUint(Field(status, "SigIgn:"), 16, 64)
	caught, errCaught := strconv.ParseUint(Field(status, "SigCgt:"), 16, 64)
	return ignored, caught, errIgnored == nil && errCaught == nil
}
