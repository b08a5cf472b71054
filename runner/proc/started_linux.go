package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

func started(ticks uint64) time.Time {
	var sinceBoot unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &sinceBoot); err != nil {
		return time.Time{}
	}
	age := time.Duration(sinceBoot.Nano()) - time.Duration(ticks)*tick
	return time.Now().Add(-age)
}
