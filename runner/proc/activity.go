package proc

import (
	"context"
	"fmt"
	"time"
)

// A Doing is the kind of what a process does.
type Doing string

// The kinds, of which a process with several threads has the first that one of them has.
const (
	DoingUnknown Doing = "unknown"   // it sleeps, and we may not look at what for
	DoingFrozen  Doing = "frozen"    // its control group is frozen
	DoingStopped Doing = "stopped"   // by a signal
	DoingTraced  Doing = "traced"    // by a debugger that holds it
	DoingZombie  Doing = "zombie"    // it has ended, and its parent does not look
	DoingBusy    Doing = "busy"      // it computes
	DoingRuns    Doing = "running"   // it is on a processor at this moment, or waits for one, and uses little
	DoingDisk    Doing = "disk"      // a sleep that no signal ends, as for a disk
	DoingOutput  Doing = "output"    // a write to its terminal, which takes nothing
	DoingInput   Doing = "input"     // a read of its terminal
	DoingFull    Doing = "full"      // a write to a pipe or a connection whose other end does not read
	DoingLock    Doing = "lock"      // the lock of a file
	DoingChild   Doing = "child"     // the end of a child
	DoingListens Doing = "listening" // connections on a port
	DoingNetwork Doing = "network"   // the other end of a connection
	DoingPipe    Doing = "pipe"      // the other end of a pipe
	DoingSleeps  Doing = "sleeping"  // a time
	DoingSignal  Doing = "signal"    // a signal
	DoingEvents  Doing = "events"    // something else that wakes it, as the change of a file
	DoingThreads Doing = "threads"   // other threads, or processes that share its memory
)

// busyFrom is the share of a processor from which on a process computes.
const busyFrom = 0.1

// activityWindow is how long the use of processors is measured, in which the kernel counts some 20 ticks.
const activityWindow = 200 * time.Millisecond

// An Activity is what a process did when it was looked at.
type Activity struct {
	Info
	Doing Doing
	Text  string  // in words that follow its name: "sleeps for another 41s"
	Used  float64 // processors, in the time of the look
	On    []int   // processes that it waits for, as far as they are known, children apart

	Tracer  int    // the process that traces it, 0 for none
	Ignores uint64 // signals, as bits: that of signal n is n-1
	Catches uint64
	Blocks  uint64
	Pending uint64 // sent and not yet taken
}

// Activities tells what processes do. It looks at them for a fifth of a second, or until ctx ends; those that are gone by
// then are left out. The tty is [Info.TTY] of the terminal that is theirs, 0 for none.
func Activities(ctx context.Context, infos []Info, tty int) []Activity {
	before := map[ID]time.Duration{}
	began := time.Now()
	for _, info := range infos {
		before[info.ID] = info.CPU
		if now, err := Read(info.PID); err == nil && now.ID == info.ID {
			before[info.ID] = now.CPU
		}
	}
	select {
	case <-ctx.Done():
	case <-time.After(activityWindow):
	}
	var list []Activity
	look := newLook(tty)
	for _, info := range infos {
		now, err := Read(info.PID)
		if err != nil || !info.same(now.ID) {
			continue
		}
		a := Activity{Info: now}
		if elapsed := time.Since(began); elapsed > 0 {
			a.Used = float64(now.CPU-before[info.ID]) / float64(elapsed)
		}
		if look.at(&a); a.Text != "" {
			list = append(list, a)
		}
	}
	return list
}

// plainly tells what the state alone does, and reports whether that is all there is to say.
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
