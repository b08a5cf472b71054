package hold

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/start"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// The times between a failure and the next start: each failure doubles the time, up to longestDelay. A run of steadyRun begins
// again with firstDelay, as docker does.
const (
	firstDelay   = time.Second
	longestDelay = time.Minute
	steadyRun    = 10 * time.Second
)

// delayAfter returns the time before the next start after so many failures in a row.
func delayAfter(failures int) time.Duration {
	return min(firstDelay<<min(failures-1, 10), longestDelay)
}

// The restarts part starts the session again: when a call asks for that, or when its command has failed and its spec says so. The
// holder stays until the next session has started, and so nobody starts it twice. The caller may be gone by then: it may run in
// the tree that is ended first.
type restarts struct {
	*core
	completion *completion
	endLeft    func(grace time.Duration, then func(proc.Outcome)) // ends what is left of the tree
	serveKept  func(c call)

	off        bool      // the session was told to end: it is not started again
	at         time.Time // when the next session is started after a failure; zero: it is not, or that has begun
	clearing   bool      // the tree is being ended, so that the next session can start
	starting   bool      // the next holder is starting
	handedOver bool      // the next session has started
	failures   int       // runs and starts that have failed in a row
	requests   []pending // requests to start the session again
	kept       []call    // requests to end or name the session that came while the next one was starting
}

// A toldError is the ErrEnded of a session that another call ends for good.
type toldError struct{}

func (toldError) Error() string { return "was told to end, and is not started again" }

func (toldError) Is(target error) bool { return target == wire.ErrEnded }

// pending reports whether the session waits to be started again.
func (r *restarts) pending() bool { return !r.at.IsZero() || r.clearing || r.starting }

// wanted reports whether the session is to be started again.
func (r *restarts) wanted() bool {
	failed := r.session.ExitCode != nil && *r.session.ExitCode != 0
	return r.clearing || r.spec.RestartOnFailure && failed && !r.off && !r.session.ToldToEnd
}

// serve ends the tree and starts the session again. It answers when that has started. Requests that meet get one session.
func (r *restarts) serve(l *link, req *wire.Request) {
	busy := r.clearing || r.starting && !r.handedOver
	if !busy {
		if err := r.refusal(); err != nil {
			l.refuse(req, r.named(err))
			return
		}
	}
	r.requests = append(r.requests, pending{link: l, id: req.ID})
	if busy {
		return
	}
	r.failures = 0
	if !r.exited() {
		r.session.ToldToEnd = true
	}
	if r.completion.complete {
		r.mark(time.Now())
		r.put()
	}
	r.clear(time.Duration(req.GraceMs) * time.Millisecond)
}

// refusal returns why the session cannot be started again, or nil. Nothing is ended then.
func (r *restarts) refusal() error {
	switch {
	case r.handedOver:
		return wire.ErrEnded
	case r.off:
		return toldError{}
	case r.session.Tether.PID != 0 && !track.Identity(r.session.Tether).Alive():
		return fmt.Errorf("tether to process %d: %w", r.session.Tether.PID, wire.ErrNoTether)
	case r.asked.Stdin:
		return errors.New("its command has the standard input of its caller, which cannot be had again")
	}
	if err := proc.CheckFolder(r.asked.Cwd); err != nil {
		return err
	}
	if _, err := proc.Lookup(r.asked.Path, r.asked.Cwd, r.asked.Env); err != nil {
		return err
	}
	return r.dir.CheckRoom()
}

// refuse answers the requests to start the session again with the reason why that did not happen.
func (r *restarts) refuse(err error) {
	answerAll(&r.requests, func(p pending) wire.Response {
		return wire.Response{ID: p.id, Error: wire.NewFault(r.named(err))}
	})
}

// waiting returns how many requests of the client wait for the next session, or are kept for it.
func (r *restarts) waiting(l *link) int {
	n := countOf(r.requests, l)
	for _, c := range r.kept {
		if c.link == l {
			n++
		}
	}
	return n
}

// dropped forgets the requests of a client that is gone. The session is started again all the same, or ended.
func (r *restarts) dropped(l *link) { dropFrom(&r.requests, l) }

// begin says at the end of the session that it is started again, or plans that after a failure. The result is not given yet.
func (r *restarts) begin(now time.Time) {
	switch {
	case r.clearing:
		r.mark(now)
	case r.wanted() && !r.pending():
		if r.failures = r.spec.Failures + 1; r.session.ExitedAfterMs >= steadyRun.Milliseconds() {
			r.failures = 1
		}
		r.plan(now)
	}
}

// plan sets the time of the next start.
func (r *restarts) plan(now time.Time) {
	r.at = now.Add(delayAfter(r.failures))
	r.mark(r.at)
}

// mark says in the record that the session is started again at a time.
func (r *restarts) mark(at time.Time) {
	r.session.Status, r.session.RestartAt = ledger.StatusRestarting, ledger.Time{Time: at}
}

// stop forgets the next start, if it has not begun.
func (r *restarts) stop() {
	if r.off = true; !r.starting {
		r.refuse(toldError{})
		r.forget()
	}
}

// forget makes a session that was to be started again an ended one, if it has ended.
func (r *restarts) forget() {
	if !r.pending() {
		return
	}
	r.at, r.clearing, r.starting = time.Time{}, false, false
	if !r.exited() {
		return
	}
	r.session.Status, r.session.RestartAt = ledger.StatusCompleted, ledger.Time{}
	if r.session.Signal != "" {
		r.session.Status = ledger.StatusKilled
	}
}

// deadline returns when the next session is to be started, or a zero time.
func (r *restarts) deadline() time.Time { return r.at }

// tick starts the next session when its time has come, and the tree of this one has ended and its end is recorded.
func (r *restarts) tick(now time.Time) {
	if due(r.at, now) {
		r.clear(defaultGrace)
	}
	if r.clearing && r.completion.complete && r.completion.over() && r.completion.killing == 0 {
		r.clearing, r.starting = false, true
		go r.start(r.next())
	}
}

// clear ends the tree, so that the next session can start.
func (r *restarts) clear(grace time.Duration) {
	r.at, r.clearing = time.Time{}, true
	if !r.completion.treeGone {
		r.endLeft(grace, r.cleared)
	}
}

// cleared gives up if a process could not be ended.
func (r *restarts) cleared(outcome proc.Outcome) {
	if len(outcome.Failed) == 0 || !r.clearing {
		return
	}
	err := fmt.Errorf("process %d still runs: %s", outcome.Failed[0].PID, outcome.Failed[0].Reason)
	r.recordFailure(r.failure(), err)
	r.refuse(fmt.Errorf("is not started again: %w", err))
	r.forget()
	r.put()
}

// start starts the next session, and hands the loop what has come of it. No time limits it: without an answer it is not known
// whether the session has started.
func (r *restarts) start(spec wire.Spec) {
	id, err := r.dir.NewSession()
	var conn *wire.Conn
	if spec.ID = id; err == nil {
		starter := start.PrepareChild()
		conn, err = starter.Start(context.Background(), spec)
		_ = starter.Close() // the holder has its session, or has none
	}
	r.done <- func() { r.started(conn, id, err) }
}

// started lets this holder leave when the next session has started. Otherwise it plans another start after a failure, and
// gives up if only a call has asked for the start, if another session has the name, or if the next holder was killed and its
// command may run.
func (r *restarts) started(next *wire.Conn, id string, err error) {
	pty.Reap()
	if next != nil {
		r.handedOver = true
		answerAll(&r.requests, func(p pending) wire.Response { return wire.Response{ID: p.id, Session: &next.Session} })
		r.handOver(next)
		return
	}
	r.starting = false
	r.recordFailure(r.failure(), err)
	r.failures++
	r.plan(time.Now())
	_, missing := r.dir.LoadSession(id)
	err = fmt.Errorf("was ended, and its command could not be started again: %w", err)
	if r.off || !r.spec.RestartOnFailure || missing == nil || errors.Is(err, wire.ErrNameTaken) {
		r.refuse(err)
		r.stop()
	} else {
		r.refuse(fmt.Errorf("%w; the next attempt is in %v", err, delayAfter(r.failures)))
	}
	r.put()
	kept := r.kept
	r.kept = nil
	for _, c := range kept {
		r.serveKept(c)
	}
}

// keeps reports whether the next session is starting, and keeps the request for that one then.
func (r *restarts) keeps(l *link, req *wire.Request) bool {
	if r.starting {
		r.kept = append(r.kept, call{link: l, request: req})
	}
	return r.starting
}

// handOver passes the kept requests on to the next session. After the last of them, this holder may leave.
func (r *restarts) handOver(next *wire.Conn) {
	if len(r.kept) == 0 {
		_ = next.Close() // the session goes on
		r.forget()
		return
	}
	c := r.kept[0]
	r.kept = r.kept[1:]
	go func() {
		resp, err := next.Call(context.Background(), *c.request)
		r.done <- func() {
			switch {
			case c.link.gone:
			case err != nil:
				c.link.refuse(c.request, err)
			default:
				resp.ID = c.request.ID
				c.link.answer(resp)
			}
			r.handOver(next)
		}
	}()
}

func (r *restarts) failure() ledger.Event { return track.FailedEvent(r.session, "restart") }

// next returns what starts this session again: its spec, with what has changed since.
func (r *restarts) next() wire.Spec {
	s := r.asked
	s.ID, s.Dir, s.Name, s.Labels, s.Tether = "", r.dir.Place(), r.session.Name, r.session.Labels, r.session.Tether.PID
	s.Scrollback, s.Foreground, s.Viewed = r.session.Scrollback, false, false
	s.Failures, s.Replaces, s.RestartOf = r.failures, r.session.ID, cmp.Or(r.session.RestartOf, r.session.ID)
	if !s.NoTerminal {
		s.Size = r.session.Size
	}
	return s
}

// recordFailure logs that the holder could not start something, as e says, and why. Any goroutine may call it.
func (c *core) recordFailure(e ledger.Event, failed error) {
	c.note(failed)
	e.Reason = c.masks.String(c.dir.Told(failed.Error()))
	ctx, cancel := context.WithTimeout(context.Background(), wire.LockWait)
	defer cancel()
	c.note(c.dir.Append(ctx, []ledger.Event{e}))
}
