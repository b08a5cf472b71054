package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// killsAtOnce is how many sessions Kill ends at the same time.
const killsAtOnce = 16

// Kill ends the sessions or processes that targets name, each with its tree. It sends the signal, and after the grace
// SIGKILL to the processes that are still alive. A target that is a number is the pid of a process of a session. When a
// target does not exist, Kill goes on with the others. It returns all errors, and the processes in the order of targets.
//
// Kill ends several sessions at the same time. It ends the targets one after another if one of them is a process, which
// may belong to a session among the others, or if two name the same session. Orphans end one after another. The session that
// this process belongs to ends last, because this process ends with it. A session that runs when Kill is called and ends before
// its turn is no error: it may depend on another one among the targets.
func Kill(ctx context.Context, dir ledger.Dir, targets []string, signal string, grace time.Duration) (KillResult, error) {
	if _, err := proc.ParseSignal(signal); err != nil {
		return NewKillResult(), err
	}
	find, lived, atOnce := lookUp(dir, targets)
	own := os.Getenv(track.Variable)
	isOwn := func(target string) bool {
		if s, err := find(target); err == nil {
			target = s.ID
		}
		return own != "" && target == own
	}
	return endEach(targets, atOnce, isOwn, func(target string, orphans sync.Locker) (KillResult, error) {
		if pid, err := strconv.Atoi(target); err == nil {
			return killProcess(ctx, dir, pid, signal, grace)
		}
		s, err := find(target)
		switch {
		case errors.Is(err, ledger.ErrNoSession), errors.Is(err, fs.ErrNotExist):
			return killUnlisted(ctx, target, signal, grace)
		case err != nil:
			return KillResult{}, err
		}
		ending, err := killNewest(ctx, dir, s, target, signal, grace, orphans)
		if errors.Is(err, wire.ErrEnded) && lived[target] {
			err = nil
		}
		return ending, err
	})
}

// KillListed works as Kill, for sessions that the caller has just found in the active set. If a session was restarted since,
// KillListed ends the new one. A session that has ended since is no error.
func KillListed(ctx context.Context, dir ledger.Dir, sessions []ledger.Session, signal string, grace time.Duration) (KillResult, error) {
	if _, err := proc.ParseSignal(signal); err != nil {
		return NewKillResult(), err
	}
	isOwn := func(s ledger.Session) bool { return s.ID == os.Getenv(track.Variable) }
	return endEach(sessions, killsAtOnce, isOwn, func(s ledger.Session, orphans sync.Locker) (KillResult, error) {
		ending, err := killNewest(ctx, dir, s, s.Name, signal, grace, orphans)
		if errors.Is(err, wire.ErrEnded) {
			err = nil
		}
		ending.Sessions = []EndedSession{{Name: s.Name, PID: s.Main.PID, Killed: ending.Killed}}
		return ending, err
	})
}

// endEach ends the targets, so many at once, and adds up what became of them. Those that are last end after all others.
func endEach[T any](targets []T, atOnce int, last func(T) bool, end func(T, sync.Locker) (KillResult, error)) (KillResult, error) {
	all := NewKillResult()
	slots := make(chan struct{}, atOnce)
	endings, errs := make([]KillResult, len(targets)), make([]error, len(targets))
	var ended sync.WaitGroup
	var orphans sync.Mutex // who brings the ledger in line must not find the processes of another orphan dead before they are logged
	for _, turn := range []bool{false, true} {
		for i, target := range targets {
			if last(target) != turn {
				continue
			}
			slots <- struct{}{}
			ended.Go(func() {
				defer func() { <-slots }()
				endings[i], errs[i] = end(target, &orphans)
			})
		}
		ended.Wait()
	}
	for _, ending := range endings {
		all.add(ending)
	}
	return all, errors.Join(errs...)
}

// lookUp reads the active set once for all targets. It returns a function that finds a session as [ledger.Dir.Session]
// does, which targets are names or ids of sessions in the set, and how many of the targets can be ended at the same time.
func lookUp(dir ledger.Dir, targets []string) (find func(string) (ledger.Session, error), lived map[string]bool, atOnce int) {
	if len(targets) < 2 {
		return dir.Session, nil, 1
	}
	active, err := dir.Active()
	if err != nil {
		return dir.Session, nil, 1
	}
	sessions := map[string]ledger.Session{}
	for _, s := range active.Sessions { // the newest one of a name comes last
		sessions[s.Name], sessions[s.ID] = s, s
	}
	atOnce = killsAtOnce
	lived, met := map[string]bool{}, map[string]bool{}
	for _, target := range targets {
		s, living := sessions[target]
		if _, err := strconv.Atoi(target); err == nil || living && met[s.ID] {
			atOnce = 1
		}
		lived[target], met[s.ID] = living && !s.Ended() && dir.Held(s.ID), true
	}
	if atOnce == 1 {
		return dir.Session, lived, 1 // each may depend on the end of the one before
	}
	return func(name string) (ledger.Session, error) {
		if s, ok := sessions[name]; ok {
			return s, nil
		}
		return dir.Session(name)
	}, lived, atOnce
}

// killNewest ends the session. If that has ended because it was started again, it ends the new one.
func killNewest(ctx context.Context, dir ledger.Dir, s ledger.Session, name, signal string, grace time.Duration, orphans sync.Locker) (KillResult, error) {
	for {
		ending, err := killSession(ctx, dir, s, name, signal, grace, orphans)
		next, ok := ledger.Session{}, false
		if errors.Is(err, wire.ErrEnded) {
			next, ok = RestartedAs(dir, s)
		}
		if !ok {
			return ending, err
		}
		s = next
	}
}

func killSession(ctx context.Context, dir ledger.Dir, s ledger.Session, name, signal string, grace time.Duration, orphans sync.Locker) (KillResult, error) {
	if dir.Copied(s) && !s.Ended() {
		return KillResult{}, ledger.SessionError(name, fmt.Errorf("%w: %s (this folder is a copy of it)", wire.ErrElsewhere, s.Folder))
	}
	ending, err := killHeld(ctx, dir, s, 0, signal, grace)
	if errors.Is(err, wire.ErrNoDescriptors) || errors.Is(err, wire.ErrManyClients) {
		return killWithout(ctx, s, signal, grace)
	}
	if err == nil && s.Status == ledger.StatusRestarting {
		ending.NotRestarted = []string{s.Name}
	}
	if !errors.Is(err, wire.ErrHolderGone) {
		return ending, err
	}
	orphans.Lock()
	defer orphans.Unlock()
	sessions, failed := orphaned(ctx, dir, func(o ledger.Session) bool { return o.ID == s.ID })
	switch {
	case failed != nil:
		return KillResult{}, failed
	case len(sessions) > 0:
		return endOrphans(ctx, dir, sessions, signal, grace)
	case !errors.Is(err, wire.ErrEnded):
		err = ledger.SessionError(name, wire.ErrEnded)
	}
	return KillResult{}, err
}

// killWithout ends the process tree of a session in place of its holder, which has no descriptor left to be asked and
// records the end.
func killWithout(ctx context.Context, s ledger.Session, signal string, grace time.Duration) (KillResult, error) {
	sig, err := proc.ParseSignal(signal)
	if err != nil {
		return KillResult{}, err
	}
	holder := track.Identity(s.Holder)
	if !holder.Alive() {
		return KillResult{}, ledger.SessionError(s.Name, wire.ErrHolderGone)
	}
	tree := func() []proc.ID {
		if !holder.Alive() {
			return nil
		}
		return proc.IDs(track.Own(proc.Tree(holder.PID)))
	}
	ports := portsOf(tree())
	outcome := proc.Kill(ctx, tree, sig, grace)
	advise(&outcome, s.Name)
	return KillResult{Outcome: outcome, OpenPorts: awaitPorts(ctx, ports)}, nil
}

// killUnlisted ends a session that this state folder does not list, by its id.
func killUnlisted(ctx context.Context, id, signal string, grace time.Duration) (KillResult, error) {
	s, err := unlisted(ctx, id)
	if err != nil {
		return KillResult{}, err
	}
	return killHeld(ctx, ledger.At(s.Folder), s, 0, signal, grace)
}

// unlisted returns a session that this state folder does not list, by its id: one of another workspace, or one whose files
// were removed.
func unlisted(ctx context.Context, id string) (ledger.Session, error) {
	socket, ok := wire.SocketOf(id)
	if !ok {
		return ledger.Session{}, ledger.SessionError(id, ledger.ErrNoSession)
	}
	resp, err := wire.AskAt(ctx, socket, wire.Request{Op: wire.OpState})
	switch {
	case errors.Is(err, wire.ConnectionRefused), errors.Is(err, fs.ErrNotExist), errors.Is(err, wire.ErrHolderGone), err == nil && resp.Session == nil:
		return ledger.Session{}, ledger.SessionError(id, ledger.ErrNoSession)
	case err != nil:
		return ledger.Session{}, err
	}
	resp.Session.Socket = socket
	return *resp.Session, nil
}

// killHeld asks the holder of s to end the session. With a pid, the holder ends only that process and its tree.
func killHeld(ctx context.Context, dir ledger.Dir, s ledger.Session, pid int, signal string, grace time.Duration) (KillResult, error) {
	c, err := Dial(dir, s)
	if err != nil {
		return KillResult{}, err
	}
	defer c.Close()
	return c.end(ctx, pid, signal, grace)
}

func killProcess(ctx context.Context, dir ledger.Dir, pid int, signal string, grace time.Duration) (KillResult, error) {
	if pid <= 0 { // a holder takes 0 for the whole session
		return KillResult{}, fmt.Errorf("process %d: %w", pid, proc.ErrNoProcess)
	}
	sessions, err := census.Reconcile(ctx, dir)
	if err != nil {
		return KillResult{}, err
	}
	for _, s := range sessions {
		if s.Status == ledger.StatusOrphaned {
			for _, info := range census.Orphans(s) {
				if info.ID.PID == pid {
					return endListed(ctx, dir, []ledger.Session{s}, proc.Subtree(info.ID), signal, grace)
				}
			}
			continue
		}
		ending, err := killHeld(ctx, dir, s, pid, signal, grace)
		if !errors.Is(err, proc.ErrNoProcess) && !errors.Is(err, wire.ErrHolderGone) {
			return ending, err
		}
	}
	return KillResult{}, fmt.Errorf("process %d: %w", pid, proc.ErrNoProcess)
}
