package proc

import (
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// OwnTime returns how much processor time this process has used, or 0 where the system does not tell. While other processes
// keep the processors busy, it passes more slowly than the time of a clock.
func OwnTime() time.Duration {
	_, used, _ := times(os.Getpid(), windows.CurrentProcess())
	return used
}
