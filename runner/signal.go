package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// A Reach says which processes get a signal.
type Reach int

const (
	ReachOne   Reach = iota // the main process of a session, or the process itself
	ReachGroup              // the foreground process group of a session's terminal, or the process group of the process
	ReachTree               // every process of a session, or the process and its descendants
)

var (
	// ErrMainEnded reports a session of which only leftovers live.
	ErrMainEnded = fmt.Errorf("its main process %w, but not all that it started", wire.ErrEnded)

	// ErrNoGroup reports a terminal without a foreground process group that is the session's.
	ErrNoGroup = errors.New("no process group of it is in the foreground")
)

// Signal sends the signal once to each process in reach of the targets, which are as for [Kill]. It waits for nothing, and
// nothing follows. It returns all errors, and the processes in the order of targets.
//
// The caller signals the processes itself, by their identities, and does not ask the holder: a holder that is killed
// meanwhile would leave it open whether the signal was sent.
func Signal(ctx context.Context, dir ledger.Dir, targets []string, signal string, reach Reach) (KillResult, error) {
	all := NewKillResult()
	sig, err := proc.ParseSignal(signal)
	if err != nil {
		return all, err
	}
	all.Alone = true
	var errs []error
	for _, target := range targets {
		var list []proc.ID
		name := ""
		if pid, err := strconv.Atoi(target); err == nil {
			list, err = reachOfProcess(ctx, dir, pid, reach)
			errs = append(errs, err)
		} else {
			name = target
			list, err = reachOfSession(ctx, dir, target, reach)
			errs = append(errs, err)
		}
		outcome := proc.Send(list, sig)
		advise(&outcome, name)
		all.add(KillResult{Outcome: outcome})
	}
	return all, errors.Join(errs...)
}

// SignalAndWait sends the signal to the session called name as [Signal] does, and waits for conditions. The wait begins before the
// signal is sent, and text counts only that is printed from then on. Nothing is waited for if the signal does not reach all. If the
// wait is refused, no signal is sent.
func SignalAndWait(ctx context.Context, dir ledger.Dir, name, signal string, reach Reach, w Wait) (sent KillResult, waited Waited, err error) {
	dir, session, err := sessionAnywhere(ctx, dir, name)
	if err != nil {
		return sent, waited, err
	}
	c, err := Dial(dir, session)
	if errors.Is(err, wire.ErrHolderGone) {
		_, ended := reachOfSession(ctx, dir, name, reach)
		err = cmp.Or(ended, err)
	}
	if err != nil {
		return sent, waited, err
	}
	defer c.Close()
	w.OnlyNew = true
	answer := c.Send(wire.Request{Op: wire.OpWait, Wait: w.request()})
	_, err = c.State(ctx) // the holder serves requests in their order: then the wait has begun
	if errors.Is(err, context.DeadlineExceeded) {
		err = ledger.SessionError(session.Name, wire.ErrNoAnswer)
	}
	if err != nil {
		return sent, waited, err
	}
	if len(answer) > 0 { // the wait was refused, or is over already
		resp, err := c.Await(ctx, answer)
		if err != nil {
			return sent, waited, err
		}
		over := make(chan wire.Response, 1)
		over <- resp
		answer = over
	}
	sent, err = Signal(ctx, dir, []string{session.ID}, signal, reach)
	if err != nil || len(sent.Failed) > 0 {
		return sent, waited, err
	}
	resp, err := c.Await(ctx, answer)
	waited, err = c.waited(ctx, w, resp, err)
	return sent, waited, err
}

// sessionAnywhere returns the session called name in dir, or that with the id name of any workspace, and its state folder.
func sessionAnywhere(ctx context.Context, dir ledger.Dir, name string) (ledger.Dir, ledger.Session, error) {
	s, err := dir.Session(name)
	if errors.Is(err, ledger.ErrNoSession) || errors.Is(err, fs.ErrNotExist) {
		if s, err = unlisted(ctx, name); err == nil {
			dir = ledger.At(s.Folder)
		}
	}
	return dir, s, err
}

// reachOfSession returns the processes in reach of the session called name.
func reachOfSession(ctx context.Context, dir ledger.Dir, name string, reach Reach) ([]proc.ID, error) {
	dir, s, err := sessionAnywhere(ctx, dir, name)
	if err != nil {
		return nil, err
	}
	if s.Status == ledger.StatusStarting { // its main process is not known yet; the holder answers when it is
		resp, err := wire.Ask(ctx, dir, s, wire.Request{Op: wire.OpState})
		switch {
		case err == nil:
			s = *resp.Session
		case !errors.Is(err, wire.ErrHolderGone): // without a holder, its processes may live on
			return nil, err
		}
	}
	tree, err := processesOf(ctx, dir, s)
	if err != nil {
		return nil, ledger.SessionError(name, err)
	}
	main := slices.IndexFunc(tree, func(info proc.Info) bool { return info.ID.Same(track.Identity(s.Main)) })
	switch {
	case len(tree) == 0:
		return nil, ledger.SessionError(name, wire.Ended(s))
	case reach == ReachTree:
		return proc.IDs(tree), nil
	case main < 0:
		return nil, ledger.SessionError(name, ErrMainEnded)
	case reach == ReachOne:
		return []proc.ID{tree[main].ID}, nil
	}
	group := groupOf(tree, foreground(s))
	if len(group) == 0 {
		return nil, ledger.SessionError(name, ErrNoGroup)
	}
	return group, nil
}

// foreground returns the foreground process group of the session's terminal. Without a terminal it is that of the main
// process.
func foreground(s ledger.Session) int {
	if s.Size == (ledger.Size{}) {
		return s.Main.PID
	}
	// The terminal is that of the holder. The main process may have left it.
	holder, err := proc.Read(s.Holder.PID)
	if err != nil {
		holder, _ = proc.Read(s.Main.PID) // the holder was killed
	}
	return holder.Foreground
}

// groupOf returns the processes of a process group.
func groupOf(tree []proc.Info, group int) (list []proc.ID) {
	for _, info := range tree {
		if info.Group == group {
			list = append(list, info.ID)
		}
	}
	return list
}

// reachOfProcess returns the processes in reach of the process pid, which belongs to a session.
func reachOfProcess(ctx context.Context, dir ledger.Dir, pid int, reach Reach) ([]proc.ID, error) {
	sessions, err := census.Reconcile(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		tree, err := processesOf(ctx, dir, s)
		at := slices.IndexFunc(tree, func(info proc.Info) bool { return info.PID == pid })
		switch {
		case err != nil || at < 0:
		case reach == ReachGroup:
			return groupOf(tree, tree[at].Group), nil
		case reach == ReachTree:
			return proc.Subtree(tree[at].ID)(), nil
		default:
			return []proc.ID{tree[at].ID}, nil
		}
	}
	return nil, fmt.Errorf("process %d: %w", pid, proc.ErrNoProcess)
}

// processesOf returns the living processes of a session, also of one that has outlived its holder.
func processesOf(ctx context.Context, dir ledger.Dir, s ledger.Session) ([]proc.Info, error) {
	switch {
	case dir.Copied(s) && !s.Ended():
		return nil, fmt.Errorf("%w: %s (this folder is a copy of it)", wire.ErrElsewhere, s.Folder)
	case s.Namespace != 0 && s.Namespace != proc.Namespace():
		return nil, errors.New("its processes are in another pid namespace, as in a container: send the signal from there")
	}
	if holder := track.Identity(s.Holder); holder.Alive() {
		tree := track.Own(proc.Tree(holder.PID))
		if holder.Alive() { // it was the holder's tree
			return slices.DeleteFunc(slices.Clone(tree), proc.Info.Ended), nil
		}
	}
	sessions, err := orphaned(ctx, dir, func(o ledger.Session) bool { return o.ID == s.ID })
	if err != nil || len(sessions) == 0 {
		return nil, err
	}
	return census.Orphans(sessions[0]), nil
}
