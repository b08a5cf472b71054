package proc

import (
	"bytes"
	"os"
	"strconv"
)

// StartedWith reports whether text is in the arguments or the environment with which the program of the process was
// executed (proc_pid_cmdline(5), proc_pid_environ(5)). It also returns true where these cannot be read.
func StartedWith(pid int, text string) bool {
	for _, name := range []string{"cmdline", "environ"} {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/" + name)
		if err != nil || bytes.Contains(data, []byte(text)) || name == "cmdline" && len(data) == 0 { // a zombie has no arguments
			return true
		}
	}
	return false
}
