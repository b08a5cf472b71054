package proc

import (
	"encoding/hex"
	"time"

	"golang.org/x/sys/unix"
)

func boot() string {
	// Without the name no process is identified. The name is missing before random(4) is seeded, for example.
	id, _ := unix.SysctlRaw("kern.boot_id")
	return hex.EncodeToString(id)
}

func identify(pid int) (ID, error) {
	info, err := read(pid)
	return info.ID, err
}

// bootTime returns when the system started, by the wall clock in its present setting.
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
