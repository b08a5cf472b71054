package proc

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

func boot() string { return "" }

func identify(pid int) (ID, error) {
	process, err := openProcess(pid, windows.PROCESS_QUERY_LIMITED_INFORMATION)
	if err != nil {
		return ID{}, err
	}
	defer windows.CloseHandle(process)
	id, _, err := times(pid, process)
	return id, err
}

// openProcess opens a process and turns the errors of OpenProcess into ours. Windows has no zombies. A process that has
// exited keeps its pid as long as somebody has a handle of it.
func openProcess(pid int, access uint32) (windows.Handle, error) {
	process, err := windows.OpenProcess(access, false, uint32(pid))
	switch {
	case errors.Is(err, windows.ERROR_INVALID_PARAMETER):
		return 0, ErrGone
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return 0, ErrNotPermitted
	}
	return process, err
}

func started(ticks uint64) time.Time {
	filetime := windows.Filetime{LowDateTime: uint32(ticks), HighDateTime: uint32(ticks >> 32)}
	return time.Unix(0, filetime.Nanoseconds())
}
