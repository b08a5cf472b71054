package proc

import (
	"bytes"
	"os"
	"strconv"
)

// StartedWith reports whether text is in the arguments or the environment that the program of the process was
// executed with (proc_pid_cmdline(5), proc_pid_environ(5)); true as well where that cannot be read.
func StartedWith(pid int, text string) bool {
	for _, name := range []string{"cmdline", "environ"} {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/" + name)
		if err != nil || bytes.Contains(data, []byte(text)) || name == "cmdline" && len(data) == 0 { // a zombie has none
			return true
		}
	}
	return false
}
