// Package proc knows processes: which one a pid means, what it is doing, what it
// has started, when it ends, and how to end it without ever hitting a stranger.
//
// A pid alone names nothing for long, because the kernel hands it out again. The
// package therefore takes and returns an [ID], and it compares the ID with the
// living process each time before it acts. Lists of processes are momentary: what
// they name may be gone when the caller looks, and every function says how it
// reports that.
//
// Nothing here keeps state between calls, and every function may be called from
// several goroutines.
package proc

import (
	"fmt"
	"sync"
)

// An ID names one process for ever. Two IDs of the same process are equal when
// they were taken on the same kernel: an ID can be a map key and can be stored.
//
// On Linux the pair of PID and Start repeats when a pid is handed out again within
// one tick of 10 ms. Inode closes that gap where the kernel is 6.9 or later.
type ID struct {
	PID int `json:"pid"`

	// Start is when the process started, in the raw unit of the kernel, which a
	// change of the wall clock does not move: ticks since boot on Linux (field 22
	// of proc_pid_stat(5)), microseconds since 1970 on macOS (p_starttime),
	// since boot on FreeBSD (ki_start without kern.boottime), 100 ns since 1601 on
	// Windows (GetProcessTimes).
	Start uint64 `json:"start"`

	// Boot is the value of [Boot] when the ID was taken.
	Boot string `json:"boot,omitzero"`

	// Inode is the number of the process in pidfs, unique for one boot, or 0 where
	// there is none.
	Inode uint64 `json:"inode,omitzero"`
}

// Boot names the present run of the kernel: the random boot id on Linux
// (random(4)), kern.bootsessionuuid on macOS, kern.boot_id on FreeBSD, where no
// process is identified without it. It is empty where the system has no such name.
// Windows has none and needs none, as a start time there is absolute. An empty name
// equals every other.
func Boot() string { return bootOnce() }

var bootOnce = sync.OnceValue(boot)

// Identify returns the ID of the process that has pid now. A process that has
// ended and was not waited for (a zombie) still has its pid and is identified. The
// error is [ErrGone] when there is no such process, and [ErrNotPermitted] where the
// system hides it.
func Identify(pid int) (ID, error) {
	if pid <= 0 {
		return ID{}, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	id, err := identify(pid)
	if err != nil {
		return ID{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return id, nil
}

// Alive reports whether the process is there and has not ended. A zombie is not
// alive, nor is any process of an earlier boot.
func (id ID) Alive() bool {
	if id.PID <= 0 || !id.thisBoot() {
		return false
	}
	h, err := open(id)
	if err != nil {
		return false // who may not open it could not have identified it
	}
	defer h.close()
	return !h.gone
}

func (id ID) thisBoot() bool {
	return id.Boot == "" || Boot() == "" || id.Boot == Boot()
}

// same reports whether now, which was taken in this boot, is the process that id
// names.
func (id ID) same(now ID) bool {
	return id.PID == now.PID && id.Start == now.Start && id.thisBoot() &&
		(id.Inode == 0 || now.Inode == 0 || id.Inode == now.Inode)
}
