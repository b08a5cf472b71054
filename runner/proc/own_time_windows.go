package proc

import (
	"os"
	"time"

	"golang.org/x/sys/windows"
)

func ownTime() time.Duration {
	_, used, _ := times(os.Getpid(), windows.CurrentProcess())
	return used
}
