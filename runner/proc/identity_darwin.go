package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

func boot() string {
	// Without the name all boots count as the same boot.
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}

func identify(pid int) (ID, error) {
	info, err := read(pid)
	return info.ID, err
}

func started(microseconds uint64) time.Time { return time.UnixMicro(int64(microseconds)) }
