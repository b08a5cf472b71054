package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/census"
	"devtools/runner/sandbox"
	"devtools/runner/wire"
)

// start starts the session, or takes an existing one.
func (req launchRequest) start(ctx context.Context, signals chan os.Signal) (client *runner.Client, created bool, err error) {
	req.spec.EndsWith = sandbox.Around().Ends
	if req.replace {
		done, err := req.endExisting(ctx)
		if err != nil {
			return nil, false, err
		}
		defer done()
	}
	if req.ifAbsent {
		if client, err := req.existing(ctx); client != nil || err != nil {
			return client, false, err
		}
	}
	if req.ifAbsent || req.replace {
		req.spec.Name = req.name // so that it does not become "web-2" beside a "web" that has just started
	}
	client, err = startSession(ctx, req.spec, signals, nil)
	for begun := time.Now(); req.ifAbsent && errors.Is(err, wire.ErrNameTaken); {
		if client, err := req.existing(ctx); client != nil || err != nil {
			return client, false, err
		}
		if !req.isEnding() || time.Since(begun) > absentPatience {
			return nil, true, err
		}
		<-time.After(absentPace) // nobody tells this process when the name is free
		client, err = startSession(context.WithValue(ctx, starterKey{}, nil), req.spec, signals, nil)
	}
	return client, true, err
}

// absentPatience is how long launch --if-absent waits for the end of a session that it can neither use nor replace yet, and
// absentPace is the time between two looks.
const (
	absentPatience = 10 * time.Second
	absentPace     = 20 * time.Millisecond
)

// isEnding reports whether the session that has the name is about to give it up, or to hand it over to the next one. One whose
// leftovers live is not.
func (req launchRequest) isEnding() bool {
	dir, err := ledger.Open(req.spec.Dir)
	if err != nil {
		return false
	}
	s, living := dir.Living(req.name)
	if !living {
		return true
	}
	record, err := dir.LoadSession(s.ID)
	return err != nil || len(record.Leftovers) == 0 || record.Status == ledger.StatusRestarting
}

// twin says that the command of the workspace already runs in a session, or returns "".
func (req launchRequest) twin(ctx context.Context) string {
	if !req.stack || req.ifAbsent || req.replace || req.spec.Name != "" {
		return ""
	}
	dir, err := census.Open(ctx, req.spec.Dir, nil)
	if err != nil {
		return ""
	}
	s, err := dir.Session(req.name)
	if err != nil || s.Ended() {
		return ""
	}
	return fmt.Sprintf("%s already runs (pid %d); this is another session: --if-absent uses the first", s.Name, s.Main.PID)
}

// existing returns the running session with the name, or nil if there is none. One that waits to be started again is started
// now.
func (req launchRequest) existing(ctx context.Context) (*runner.Client, error) {
	dir, err := census.Open(ctx, req.spec.Dir, nil)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	client, err := runner.DialLiving(ctx, dir, req.name)
	if client != nil && client.Session.ToldToEnd { // it is being ended, or started again
		return nil, client.Close()
	}
	if err == nil && client == nil {
		client, err = req.startWaiting(ctx, dir)
	}
	if err != nil || client == nil || req.spec.Tether == 0 {
		return client, err
	}
	if client.Session, err = client.Tether(ctx, req.spec.Tether); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return client, nil
}

// startWaiting starts the session with the name at once if it waits to be started again. Otherwise it returns nil.
func (req launchRequest) startWaiting(ctx context.Context, dir ledger.Dir) (*runner.Client, error) {
	s, living := dir.Living(req.name)
	if !living || s.Status != ledger.StatusRestarting {
		return nil, nil
	}
	s, err := dir.LoadSession(s.ID)
	if err == nil && req.spec.Tether != 0 { // the process of before may be gone
		err = tetherTo(ctx, dir, s, req.spec.Tether)
	}
	if err == nil {
		s, err = runner.Restart(ctx, dir, s, req.killAfter)
	}
	switch {
	case errors.Is(err, ledger.ErrNoSession), errors.Is(err, wire.ErrEnded), errors.Is(err, wire.ErrHolderGone):
		return nil, nil // it has started or ended in the meantime
	case err != nil:
		return nil, &startError{err}
	}
	return runner.Dial(dir, s)
}

// tetherTo makes a session end together with process pid.
func tetherTo(ctx context.Context, dir ledger.Dir, s ledger.Session, pid int) error {
	client, err := runner.Dial(dir, s)
	if err != nil {
		return err
	}
	_, err = client.Tether(ctx, pid)
	return errors.Join(err, client.Close())
}

// replacePatience is how long other processes may take to replace the same session, beyond the time for ending it.
const replacePatience = 30 * time.Second

// endExisting ends the session with the name, unless the next one could not start. Until done is called, it keeps other processes
// from replacing the session.
func (req launchRequest) endExisting(ctx context.Context) (done func(), err error) {
	dir, err := census.Create(ctx, req.spec.Dir)
	if err != nil {
		return nil, &startError{err}
	}
	turn, cancel := context.WithTimeout(ctx, req.killAfter+replacePatience)
	defer cancel()
	done, err = dir.LockName(turn, req.name)
	if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return nil, &startError{err}
	}
	if err != nil {
		return nil, &startError{fmt.Errorf("session %q: another process that replaces it has not finished: %w", req.name, err)}
	}
	if err = req.endLiving(ctx, dir); err != nil {
		done()
		return nil, &startError{err}
	}
	return done, nil
}

// endLiving ends the session with the name, unless the next one could not start.
func (req launchRequest) endLiving(ctx context.Context, dir ledger.Dir) error {
	active, err := dir.Active()
	if err != nil {
		return err
	}
	named := slices.DeleteFunc(slices.Clone(active.Sessions), func(s ledger.Session) bool { return s.Name != req.name })
	if len(named) == 0 {
		return nil
	}
	if err := req.checkLimit(dir, active); err != nil { // check before ending a session
		return err
	}
	if err := dir.CheckRoom(); err != nil {
		return err
	}
	outcome, err := runner.KillListed(ctx, dir, named, "TERM", req.killAfter)
	if err == nil && len(outcome.Failed) > 0 {
		err = fmt.Errorf("session %q: process %d is still running: %s", req.name, outcome.Failed[0].PID, outcome.Failed[0].Reason)
	}
	if err != nil {
		return fmt.Errorf("replace: %w", err)
	}
	return nil
}

// checkLimit returns an error if the limit of sessions forbids a session in place of the one with the name.
func (req launchRequest) checkLimit(dir ledger.Dir, active *ledger.Active) error {
	others := 0
	for _, s := range active.Sessions {
		if s.Counts() && s.Name != req.name && dir.Held(s.ID) {
			others++
		}
	}
	if req.spec.MaxSessions > 0 && others >= req.spec.MaxSessions {
		return fmt.Errorf("%w: %d run in this workspace besides %q, and the limit is %d", wire.ErrTooMany, others, req.name, req.spec.MaxSessions)
	}
	return nil
}
