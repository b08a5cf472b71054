package proc

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"
)

const (
	// uninterruptible is how long a process may outlive SIGKILL before we give up on it. Only an uninterruptible sleep
	// or a frozen cgroup can keep it alive so long.
	uninterruptible = 2 * time.Second

	// killLimit is how long we go on killing when new processes appear as fast as we kill them.
	killLimit = 10 * time.Second

	// hangUpPace is how long a shell may outlive SIGHUP before it gets it again: bash only notes a SIGHUP that comes while its job
	// ends, and then waits for its next key. On a busy machine that happened in 1 of 12 ends.
	hangUpPace = 100 * time.Millisecond

	// maxHeld bounds how many targets we hold open at a time, because each needs a descriptor. The others follow when some
	// of these are gone.
	maxHeld = 2048
)

// The reasons of a [Failure].
const (
	NotPermitted = "not_permitted" // the system does not permit us to signal it
	StillAlive   = "still_alive"   // it outlived SIGKILL, or the time was over first
	Protected    = "protected"     // pid 1, our own process and its ancestors
	NotSignalled = "not_signalled" // any other error of the system

	Uninterruptible = "uninterruptible" // it outlived SIGKILL in a sleep that no signal ends
)

// Outcome reports what happened to the processes that [Kill] was asked to end. It lists each pid once, in the order in
// which Kill met them. Neither list is nil.
type Outcome struct {
	Killed    []int     `json:"killed"`             // processes that we signalled and that are gone
	Signalled []int     `json:"signalled,omitzero"` // processes that got a signal of [Send]
	Failed    []Failure `json:"failed"`

	Signals map[ID]syscall.Signal `json:"-"` // last signal sent to each of Killed
}

// Failure is a process that is not gone, and the reason.
type Failure struct {
	PID    int    `json:"pid"`
	Reason string `json:"reason"`
	Hint   string `json:"hint,omitzero"` // advice for people
}

// Kill ends processes. It sends sig, waits up to grace for them to exit, and sends SIGKILL to the rest. With a grace of
// 0 it sends SIGKILL at once, and does not send sig.
//
// list returns the present targets, parents first, usually from a fresh [Tree]. Kill calls it again whenever a target
// exits, to find children that were forked meanwhile. Kill is done when list twice returns no living process. A process
// that list has returned once stays a target, even if list no longer returns it. list may return zombies: they count as
// gone.
//
// After SIGTERM, an [Interactive] shell also gets SIGHUP, once it has no child any more, to which it would pass the SIGHUP on.
// After sig, Kill sends SIGCONT, so that a stopped process can act on sig. A process that outlives SIGKILL by 2 seconds is
// reported as [StillAlive], or as [Uninterruptible] if it is in an uninterruptible sleep. Kill reports in the same way the
// processes that live when ctx ends, or when new targets still appear after 10 seconds of SIGKILL.
//
// Kill never signals pid 1, our own process or one of our ancestors. It never waits for a process that it cannot
// signal. Windows has no graceful end; see [ID.Signal].
func Kill(ctx context.Context, list func() []ID, sig syscall.Signal, grace time.Duration) Outcome {
	k := killing{list: list, protected: protectedPIDs(), targets: make(map[int]*target)}
	if grace > 0 && sig != syscall.SIGKILL {
		k.sweep(ctx, sig, grace)
	}
	k.sweep(ctx, syscall.SIGKILL, killLimit)
	return k.outcome()
}

// killing is the state of one call of Kill.
type killing struct {
	list      func() []ID
	protected []int
	targets   map[int]*target // by pid: a process that we hold open keeps its pid
	order     []*target
}

// target is a process to end.
type target struct {
	id     ID
	handle *handle // nil after the process is gone or given up
	sent   syscall.Signal
	sentAt time.Time
	shell  bool   // it ignored SIGTERM, and is hung up
	reason string // why it was given up, "" if it was not
}

// sweep sends sig to every target until none is left or the time is over. It gives up on a target that outlives
// SIGKILL.
func (k *killing) sweep(ctx context.Context, sig syscall.Signal, timeout time.Duration) {
	end := time.Now().Add(timeout)
	// One walk of a changing tree can miss a process, so two walks must find nothing.
	for empty := 0; empty < 2; {
		k.openTargets()
		if ctx.Err() != nil {
			return
		}
		waiting, oldest := k.send(sig)
		if len(waiting) == 0 {
			empty++
			continue
		}
		empty = 0
		limit := end
		if last := oldest.Add(uninterruptible); sig == syscall.SIGKILL && last.Before(end) {
			limit = last
		}
		if again := time.Now().Add(hangUpPace); again.Before(end) && k.hangsUp() {
			limit = again
		}
		err := awaitAny(ctx, waiting, limit)
		now := time.Now()
		for _, t := range k.order {
			switch {
			case t.handle == nil:
			case t.handle.gone:
				t.release("")
			case t.sent == syscall.SIGKILL && now.Sub(t.sentAt) >= uninterruptible:
				t.release(t.resists())
			}
		}
		if err != nil || !now.Before(end) {
			return
		}
	}
}

// openTargets opens the processes that list returns and that we do not hold yet.
func (k *killing) openTargets() {
	holding := 0
	for _, t := range k.order {
		if t.handle != nil {
			holding++
		}
	}
	for _, id := range k.list() {
		known := k.targets[id.PID]
		if known != nil && known.id.Same(id) && (known.handle != nil || known.reason != "") {
			continue
		}
		if id.PID <= 0 || !id.thisBoot() || holding >= maxHeld {
			continue
		}
		t := &target{id: id}
		h, err := open(id)
		switch {
		case errors.Is(err, ErrGone):
			continue
		case err != nil:
			t.reason = reason(err)
		case h.gone:
			h.close()
			continue
		case slices.Contains(k.protected, id.PID):
			h.close()
			t.reason = Protected
		default:
			t.handle = h
			holding++
		}
		k.targets[id.PID] = t
		k.order = append(k.order, t)
	}
}

// send sends sig to each target that has not received it. It returns the targets to wait for, and the time of the
// oldest signal among them.
func (k *killing) send(sig syscall.Signal) (waiting []*handle, oldest time.Time) {
	for _, t := range k.order {
		if t.handle == nil {
			continue
		}
		if t.sent != sig {
			err := t.handle.signal(sig)
			switch {
			case errors.Is(err, ErrGone):
				t.release("")
				continue
			case errors.Is(err, errors.ErrUnsupported):
				continue // SIGKILL follows
			case err != nil:
				t.release(reason(err))
				continue
			}
			t.sent, t.sentAt = sig, time.Now()
			t.shell = sig == syscall.SIGTERM && isInteractive(t.id.PID)
			resume(t.handle, sig)
		}
		if t.shell && childlessNow(t.id.PID) {
			_ = t.handle.signal(SigHangUp) // the process may be gone now
		}
		if len(waiting) == 0 || t.sentAt.Before(oldest) {
			oldest = t.sentAt
		}
		waiting = append(waiting, t.handle)
	}
	return waiting, oldest
}

// hangsUp reports whether a shell that is hung up lives.
func (k *killing) hangsUp() bool {
	return slices.ContainsFunc(k.order, func(t *target) bool { return t.shell && t.handle != nil })
}

func isInteractive(pid int) bool {
	info, err := Read(pid)
	return err == nil && Interactive(info)
}

// childlessNow reports whether no child of the process lives.
func childlessNow(pid int) bool {
	pids, err := Children(pid)
	return err == nil && !slices.ContainsFunc(pids, func(child int) bool {
		info, err := Read(child)
		return err == nil && !info.Ended()
	})
}

// resists returns the reason why a target lives although it received SIGKILL.
func (t *target) resists() string {
	if info, err := Read(t.id.PID); err == nil && info.State == 'D' && t.sent == syscall.SIGKILL && t.id.Same(info.ID) {
		return Uninterruptible
	}
	return StillAlive
}

// release closes the handle of a target. The target is gone if reason is "", otherwise it is given up.
func (t *target) release(reason string) {
	t.handle.close()
	t.handle, t.reason = nil, reason
}

func (k *killing) outcome() Outcome {
	out := Outcome{Killed: []int{}, Failed: []Failure{}, Signals: map[ID]syscall.Signal{}}
	for _, t := range k.order {
		if t.handle != nil {
			t.release(t.resists())
		}
		switch {
		case t.reason != "":
			out.Failed = append(out.Failed, Failure{PID: t.id.PID, Reason: t.reason})
		case t.sent != 0:
			out.Signals[t.id] = t.sent
			if !slices.Contains(out.Killed, t.id.PID) {
				out.Killed = append(out.Killed, t.id.PID)
			}
		}
	}
	return out
}

func reason(err error) string {
	switch {
	case errors.Is(err, ErrNotPermitted):
		return NotPermitted
	case errors.Is(err, ErrProtected):
		return Protected
	}
	return NotSignalled
}

// protectedPIDs returns our own process, its ancestors and the first process of the system.
func protectedPIDs() []int {
	pids := []int{1}
	for pid := os.Getpid(); pid > 1 && !slices.Contains(pids, pid); {
		pids = append(pids, pid)
		info, err := Read(pid)
		if err != nil {
			break
		}
		pid = info.Parent
	}
	return pids
}

// Failed reports whether the outcome lists the process as failed.
func Failed(o Outcome, pid int) bool {
	return slices.ContainsFunc(o.Failed, func(f Failure) bool { return f.PID == pid })
}

// Merged combines the outcomes of two attempts. Where they contradict each other, the second one counts.
func Merged(a, b Outcome) Outcome {
	for _, pid := range a.Killed {
		if !slices.Contains(b.Killed, pid) {
			b.Killed = append(b.Killed, pid)
		}
	}
	for _, f := range a.Failed {
		if !Failed(b, f.PID) && !slices.Contains(b.Killed, f.PID) {
			b.Failed = append(b.Failed, f)
		}
	}
	maps.Copy(b.Signals, a.Signals)
	return b
}
