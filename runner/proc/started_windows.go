package proc

import (
	"time"

	"golang.org/x/sys/windows"
)

func started(ticks uint64) time.Time {
	filetime := windows.Filetime{LowDateTime: uint32(ticks), HighDateTime: uint32(ticks >> 32)}
	return time.Unix(0, filetime.Nanoseconds())
}
