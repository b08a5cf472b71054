package blocked

import (
	"context"
	"fmt"
	"time"

	"devtools/runner/proc"
)

// A Doing is the kind of activity of a process.
type Doing string

// The kinds of activity. The threads of a process may differ: the process has the kind that comes first in mostInformative.
const (
	DoingUnknown Doing = "unknown"   // it sleeps, and we have no permission to see why
	DoingFrozen  Doing = "frozen"    // its control group is frozen
	DoingStopped Doing = "stopped"   // stopped by a signal
	DoingTraced  Doing = "traced"    // held by a debugger
	DoingZombie  Doing = "zombie"    // it has ended, and its parent has not waited for it
	DoingBusy    Doing = "busy"      // it computes
	DoingRuns    Doing = "running"   // on a processor or ready to run, but uses little time
	DoingDisk    Doing = "disk"      // in a sleep that no signal ends, such as for a disk
	DoingOutput  Doing = "output"    // writes to its terminal, which accepts nothing
	DoingInput   Doing = "input"     // reads its terminal
	DoingFull    Doing = "full"      // writes to a pipe or connection whose other end does not read
	DoingLock    Doing = "lock"      // waits for a file lock
	DoingChild   Doing = "child"     // waits for a child to end
	DoingListens Doing = "listening" // waits for connections on a port
	DoingNetwork Doing = "network"   // waits for the other end of a connection
	DoingPipe    Doing = "pipe"      // waits for the other end of a pipe
	DoingSleeps  Doing = "sleeping"  // sleeps for some time
	DoingSignal  Doing = "signal"    // waits for a signal
	DoingEvents  Doing = "events"    // waits for another event, such as a changed file
	DoingThreads Doing = "threads"   // waits for other threads, or for processes that share its memory
)

// busyFrom is the smallest share of a processor that counts as busy.
const busyFrom = 0.1

// activityWindow is the time over which processor use is measured. The kernel counts some 20 ticks in it.
const activityWindow = 200 * time.Millisecond

// An Activity is what a process did during [Activities].
type Activity struct {
	proc.Info
	Doing Doing
	Text  string  // for people, to follow the name: "sleeps for another 41s"
	Used  float64 // processors used on average during the measurement
	On    []int   // known pids that it waits for, without children

	Tracer  int    // pid of the tracer, 0 for none
	Ignores uint64 // this and the next three are sets: bit n-1 is signal n
	Catches uint64
	Blocks  uint64
	Pending uint64 // signals sent but not yet delivered
}

// Activities reports what processes do. It measures them for a fifth of a second, or until ctx ends. It leaves out
// processes that have ended by then. tty is the [Info.TTY] of their terminal, 0 for none.
func Activities(ctx context.Context, infos []proc.Info, tty int) []Activity {
	before := map[proc.ID]time.Duration{}
	began := time.Now()
	for _, info := range infos {
		before[info.ID] = info.CPU
		if now, err := proc.Read(info.PID); err == nil && now.ID == info.ID {
			before[info.ID] = now.CPU
		}
	}
	select {
	case <-ctx.Done():
	case <-time.After(activityWindow):
	}
	var list []Activity
	scan := newActivityScan(tty)
	for _, info := range infos {
		now, err := proc.Read(info.PID)
		if err != nil || !info.Same(now.ID) {
			continue
		}
		a := Activity{Info: now}
		if elapsed := time.Since(began); elapsed > 0 {
			a.Used = float64(now.CPU-before[info.ID]) / float64(elapsed)
		}
		if scan.describe(&a); a.Text != "" {
			list = append(list, a)
		}
	}
	return list
}

// plainly sets the activity that the state and the processor use alone show. It reports whether they are enough.
func (a *Activity) plainly() bool {
	switch {
	case a.Ended():
		a.Doing, a.Text = DoingZombie, "has ended, and its parent has not taken notice"
	case a.State == 't':
		a.Doing, a.Text = DoingTraced, "is held by a debugger"
	case a.State == 'T':
		a.Doing, a.Text = DoingStopped, "is stopped by a signal"
	case a.Used >= busyFrom && a.State != 'D':
		a.Doing, a.Text = DoingBusy, fmt.Sprintf("computes, with %.0f%% of a processor", 100*a.Used)
	default:
		return false
	}
	return true
}
