// Package proc identifies, inspects and ends processes. It tells which process a pid means, what that process is doing,
// what it has started and when it ends. It can end a process without ever hitting an unrelated one.
//
// A pid alone does not name a process for long, because the kernel reuses it. The package therefore takes and returns
// an [ID], and compares the ID with the living process each time before it acts. Lists of processes are momentary: a
// listed process may be gone when the caller looks. Every function says how it reports that.
//
// The package keeps no state between calls. Every function may be called from several goroutines.
package proc

import (
	"fmt"
	"sync"
	"time"
)

// An ID names one process for ever. Two IDs of the same process are equal if they were taken on the same kernel. An ID
// can therefore be a map key, and it can be stored.
//
// On Linux the pair of PID and Start repeats if the kernel reuses a pid within one tick of 10 ms. Inode closes that gap
// on Linux 6.9 or later.
type ID struct {
	PID int `json:"pid"`

	// Start is when the process started, in the raw unit of the kernel. Setting the wall clock does not change it. The
	// unit depends on the system:
	// - Linux: ticks since boot (field 22 of proc_pid_stat(5))
	// - macOS: microseconds since 1970 (p_starttime)
	// - FreeBSD: microseconds since boot (ki_start without kern.boottime)
	// - Windows: 100 ns since 1601 (GetProcessTimes)
	Start uint64 `json:"start"`

	// Boot is the value of [Boot] at the time when the ID was taken.
	Boot string `json:"boot,omitzero"`

	// Inode is the number of the process in pidfs, unique for one boot. It is 0 where the system has no pidfs.
	Inode uint64 `json:"inode,omitzero"`
}

// Boot returns the name of the present run of the kernel. That is the random boot id on Linux (random(4)),
// kern.bootsessionuuid on macOS, and kern.boot_id on FreeBSD. On FreeBSD no process is identified without it.
//
// The name is empty where the system has none. Windows has none and needs none, because a start time there is absolute.
// An empty name equals every other.
func Boot() string { return bootOnce() }

var bootOnce = sync.OnceValue(boot)

// Identify returns the ID of the process that has pid now. A zombie (a process that has ended and that its parent has
// not waited for) still has its pid and is identified. The error is [ErrGone] if there is no such process, and
// [ErrNotPermitted] if the system hides it.
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

// Alive reports whether the process exists and has not ended. A zombie is not alive, and neither is a process of an
// earlier boot.
func (id ID) Alive() bool {
	if id.PID <= 0 || !id.thisBoot() {
		return false
	}
	h, err := open(id)
	if err != nil {
		return false // without permission to open it, nobody could have identified it
	}
	defer h.close()
	return !h.gone
}

func (id ID) thisBoot() bool {
	return id.Boot == "" || Boot() == "" || id.Boot == Boot()
}

// Same reports whether now is the process that id names. now must have been taken in this boot.
func (id ID) Same(now ID) bool {
	return id.PID == now.PID && id.Start == now.Start && id.thisBoot() &&
		(id.Inode == 0 || now.Inode == 0 || id.Inode == now.Inode)
}

// Started returns when the process started, to about 10 ms, by the wall clock in its present setting. It is for
// display, because the clock may have been set since then. It returns the zero time for an ID without a start.
func (id ID) Started() time.Time {
	if id.Start == 0 {
		return time.Time{}
	}
	return started(id.Start)
}
