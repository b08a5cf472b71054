package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/list"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// KillPatience is how long killing may take beyond the grace.
const KillPatience = 15 * time.Second

// A KillResult is what became of processes that were to be ended.
type KillResult struct {
	proc.Outcome
	Alone    bool           // a signal alone was sent: nothing was to end
	Orphaned []list.Process // processes that a dry run would end

	Sessions     []EndedSession // what was killed of each session that was chosen, and not named
	NotRestarted []string       // sessions that waited to be started again, and do not any more
	OpenPorts    []OpenPort     // ports of the processes with a listener left
}

// An EndedSession says what was killed of a session.
type EndedSession struct {
	Name   string
	PID    int   // its main process
	Killed []int // these processes are in Outcome.Killed too
}

// An OpenPort is a TCP port that still has a listener although the processes to end are gone. The listener is a process
// that has inherited the socket.
type OpenPort struct {
	Port int
	PID  int // process that listens; 0 if the system does not tell
	Name string
}

// add adds what became of other processes.
func (e *KillResult) add(o KillResult) {
	e.Killed, e.Failed = append(e.Killed, o.Killed...), append(e.Failed, o.Failed...)
	e.Signalled = append(e.Signalled, o.Signalled...)
	e.OpenPorts, e.Orphaned = append(e.OpenPorts, o.OpenPorts...), append(e.Orphaned, o.Orphaned...)
	e.Sessions = append(e.Sessions, o.Sessions...)
	e.NotRestarted = append(e.NotRestarted, o.NotRestarted...)
}

// NewKillResult returns a KillResult without processes.
func NewKillResult() KillResult {
	return KillResult{Outcome: proc.Outcome{Killed: []int{}, Failed: []proc.Failure{}}}
}

// End ends the session as [Kill] does. It works even when only this connection is left of the session. The error is
// ErrHolderGone when the connection has no holder either.
func (c *Client) End(ctx context.Context, signal string, grace time.Duration) (KillResult, error) {
	return c.end(ctx, 0, signal, grace)
}

func (c *Client) end(ctx context.Context, pid int, signal string, grace time.Duration) (KillResult, error) {
	wake(track.Identity(c.Session.Holder))
	ctx, cancel := context.WithTimeout(ctx, grace+KillPatience)
	defer cancel()
	var ports []proc.Listener
	if pid == 0 {
		ports = portsOf(proc.IDs(track.Own(proc.Tree(c.Session.Holder.PID))))
	}
	outcome, err := c.Kill(ctx, pid, signal, grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = ledger.SessionError(c.Session.Name, wire.ErrNoAnswer)
	}
	if err != nil {
		return KillResult{}, err
	}
	advise(&outcome, c.Session.Name)
	return KillResult{Outcome: outcome, OpenPorts: awaitPorts(ctx, ports)}, nil
}

// wake continues a stopped holder. A stopped holder cannot end its session.
func wake(holder proc.ID) {
	if isStopped(holder) {
		_ = holder.Signal(proc.SigContinue) // if that fails, the holder does not answer
	}
}

// isStopped reports whether a signal has stopped the holder.
func isStopped(holder proc.ID) bool {
	info, err := proc.Read(holder.PID)
	return err == nil && info.State == 'T' && holder.Alive()
}

// endOrphans ends the living processes of sessions without a holder.
func endOrphans(ctx context.Context, dir ledger.Dir, sessions []ledger.Session, signal string, grace time.Duration) (KillResult, error) {
	return endListed(ctx, dir, sessions, nil, signal, grace)
}

// A target is a process to end.
type target struct {
	ledger.Process
	catches bool // it may handle the signal, and end in a way of its own
}

// endListed ends the processes of the sessions that list returns, and logs what became of them. The sessions have no
// holder. With a nil list it ends all living processes of the sessions.
func endListed(ctx context.Context, dir ledger.Dir, sessions []ledger.Session, list func() []proc.ID, signal string, grace time.Duration) (KillResult, error) {
	sig, err := proc.ParseSignal(signal)
	if err != nil {
		return KillResult{}, err
	}
	met := make([]map[proc.ID]target, len(sessions))
	meet := func(i int, p ledger.Process) proc.ID {
		id := track.Identity(p)
		if _, known := met[i][id]; !known {
			met[i][id] = target{p, proc.Catches(id.PID, sig)}
		}
		return id
	}
	var listening []proc.ID
	for i, s := range sessions {
		met[i] = map[proc.ID]target{}
		for _, p := range s.Leftovers {
			listening = append(listening, meet(i, p))
		}
	}
	fresh := func() (all []proc.ID) {
		for i, living := range census.Survivors(dir, sessions) {
			for _, p := range living {
				all = append(all, meet(i, p))
			}
		}
		return all
	}
	whole := list == nil
	if whole {
		list = seldom(fresh)
	} else {
		listening = list()
	}
	ports := portsOf(listening)
	outcome := proc.Kill(ctx, list, sig, grace)
	for deadline := time.Now().Add(KillPatience); whole && ctx.Err() == nil && time.Now().Before(deadline); {
		// The last result of list may be older than what a target did last.
		if left := fresh(); !slices.ContainsFunc(left, func(id proc.ID) bool { return !proc.Failed(outcome, id.PID) }) {
			break
		}
		outcome = proc.Merged(outcome, proc.Kill(ctx, fresh, sig, grace))
	}
	advise(&outcome, "")
	noteKilled(dir, sessions, met, outcome)
	if _, err := census.Reconcile(context.WithoutCancel(ctx), dir); err != nil {
		return KillResult{Outcome: outcome}, err
	}
	return KillResult{Outcome: outcome, OpenPorts: awaitPorts(ctx, ports)}, nil
}

// seldomShare is how long seldom uses the result of a look at all processes, as a multiple of the look's own duration.
const seldomShare = 4

// seldom returns a function that calls look, but reuses its result for some time. Ending a thousand processes must not
// take a thousand looks.
func seldom(look func() []proc.ID) func() []proc.ID {
	var last []proc.ID
	var until time.Time
	return func() []proc.ID {
		if begin := time.Now(); !begin.Before(until) {
			last = look()
			until = time.Now().Add(seldomShare * time.Since(begin))
		}
		return last
	}
}

// noteKilled logs which of the processes in met were killed. It skips processes whose end is logged already.
func noteKilled(dir ledger.Dir, sessions []ledger.Session, met []map[proc.ID]target, outcome proc.Outcome) {
	ctx, cancel := context.WithTimeout(context.Background(), census.LockTime)
	defer cancel()
	_ = dir.Update(ctx, func(a *ledger.Active) error { // if that fails, census.Reconcile logs that they are gone
		for i, s := range sessions {
			noteKilledOf(dir, a, s, met[i], outcome.Signals)
		}
		return nil
	})
}

func noteKilledOf(dir ledger.Dir, a *ledger.Active, s ledger.Session, met map[proc.ID]target, signals map[proc.ID]syscall.Signal) {
	var ended []ledger.Process
	logged := census.Logged(dir, s)
	for id, p := range met {
		sig, killed := signals[id]
		if !killed || logged.Ended[id] {
			continue
		}
		e := track.ProcessEvent(ledger.EventKilled, s, p.Process)
		if id == track.Identity(s.Main) {
			e = track.Event(ledger.EventKilled, s)
		} else if !logged.Begun[id] { // it started while the others were being killed
			a.Log(track.ProcessEvent(ledger.EventSpawned, s, p.Process))
		}
		if e.Signal = proc.SignalName(sig); sig != syscall.SIGKILL && p.catches {
			e.Signal, e.Reason = "", "it handled "+e.Signal+": how it ended is not known"
		}
		a.Log(e)
		ended = append(ended, p.Process)
	}
	a.Then(func() { _ = dir.AppendJournal(s.ID, nil, ended) }) // if that fails, census.Reconcile does it
}

// advise adds a hint to each process that is still alive: what the user can do about it. name is that of its session, or "".
func advise(outcome *proc.Outcome, name string) {
	for i := range outcome.Failed {
		f := &outcome.Failed[i]
		switch f.Reason {
		case proc.NotPermitted:
			f.Hint = fmt.Sprintf("it belongs to another user, such as root after sudo: sudo kill %d", f.PID)
		case proc.Protected:
			f.Hint = "this command runs inside it: end it from another terminal"
		case proc.Uninterruptible:
			f.Hint = "no signal ends it: it waits for a disk or a server that does not answer, or is frozen; devtools doctor " + cmp.Or(name, "NAME") + " tells more"
		case proc.StillAlive:
			f.Hint = "devtools ps shows what it does"
		}
	}
}

// portTime is how long the ports of ended processes may stay open. portPace is the time between two looks at them.
const (
	portTime = 2 * time.Second
	portPace = 5 * time.Millisecond
)

// portsOf returns the TCP sockets on which the processes listen. It returns none where the system does not tell.
func portsOf(list []proc.ID) []proc.Listener {
	if len(list) == 0 {
		return nil
	}
	pids := make([]int, len(list))
	for i, id := range list {
		pids[i] = id.PID
	}
	ports, _ := proc.Ports(pids) // the ports are only extra information
	return ports
}

// awaitPorts waits until the sockets have no listener any more. It returns those that still have one.
func awaitPorts(ctx context.Context, ports []proc.Listener) []OpenPort {
	if len(ports) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, portTime)
	defer cancel()
	for {
		open := stillOpen(ports)
		if len(open) == 0 {
			return nil
		}
		select {
		case <-time.After(portPace): // the kernel does not report the closing of a socket
		case <-ctx.Done():
			return open
		}
	}
}

func stillOpen(ports []proc.Listener) []OpenPort {
	now, err := proc.Listeners(0)
	if err != nil {
		return nil
	}
	inodes := map[uint64]bool{}
	for _, l := range now {
		inodes[l.Inode] = true
	}
	var open []OpenPort
	for _, l := range ports {
		if inodes[l.Inode] {
			o := OpenPort{Port: l.Port}
			if info, ok := proc.OwnerOf(l.Inode); ok {
				o.PID, o.Name = info.PID, info.Name
			}
			open = append(open, o)
		}
	}
	return open
}
