package proc

import (
	"encoding/hex"
	"time"

	"golang.org/x/sys/unix"
)

func boot() string {
	// Without the name, as before random(4) is seeded, no process is identified.
	id, _ := unix.SysctlRaw("kern.boot_id")
	return hex.EncodeToString(id)
}

func identify(pid int) (ID, error) {
	info, err := read(pid)
	return info.ID, err
}

// bootTime is when the system started, by the wall clock as it is set now.
func bootTime() (unix.Timeval, error) {
	booted, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return unix.Timeval{}, err
	}
	return *booted, nil
}

func started(microseconds uint64) time.Time {
	booted, err := bootTime()
	if err != nil {
		return time.Time{}
	}
	return time.Unix(booted.Unix()).Add(time.Duration(microseconds) * time.Microsecond)
}
