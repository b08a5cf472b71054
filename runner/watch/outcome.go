package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// readied notes that the program is ready, or will not be.
func (w *watcher) readied(r readiness) error {
	p := w.program
	e := Event{Name: p.session.Name, SessionID: p.session.ID, PID: p.session.Main.PID, DurationMs: time.Since(p.started).Milliseconds()}
	switch {
	case r.waited.Ended, errors.Is(r.err, wire.ErrHolderGone): // the end is reported separately
		return nil
	case r.err != nil:
		e.Event, e.Reason = EventNotReady, r.err.Error()
		w.say(e)
		if w.ExitOnError || w.Once {
			return r.err
		}
	case len(r.waited.Met) > 0 || len(w.Ready) == 0:
		p.ready, p.ports, e.Event, e.Ports = true, r.ports, EventReady, append([]int{}, r.ports...)
		if len(w.Ready) > 0 {
			w.say(e)
		}
		w.save()
	default:
		why := fmt.Sprintf("not within %v", w.ReadyTimeout)
		if len(r.waited.Notes) > 0 {
			why += ": " + r.waited.Notes[0]
		}
		return w.notReady(why)
	}
	return nil
}

// notReady notes that the program will not be ready, or not in time.
func (w *watcher) notReady(why string) error {
	e := Event{Event: EventNotReady, Name: cmp.Or(w.name, wire.NameOf(w.Program)), Reason: why}
	if p := w.program; p != nil {
		e.SessionID, e.PID, e.DurationMs = p.session.ID, p.session.Main.PID, time.Since(p.started).Milliseconds()
	}
	w.say(e)
	if w.ExitOnError || w.Once {
		return &FailedError{Code: 1}
	}
	return nil
}

// ended notes that the program has ended by itself.
func (w *watcher) ended(ctx context.Context, s ledger.Session) error {
	p := w.program
	if w.Server && !p.daemon && s.ExitCode != nil && *s.ExitCode == 0 && len(s.Leftovers) > 0 {
		w.followDaemon(ctx, p)
		return nil
	}
	if err := w.lastLook(ctx); err != nil {
		return err
	}
	w.code = codeOf(s)
	e := Event{Event: EventExit, Name: s.Name, SessionID: s.ID, PID: s.Main.PID, Code: s.ExitCode, Signal: s.Signal, DurationMs: time.Since(p.started).Milliseconds()}
	if w.Server && (w.code == 0 || onPurpose(s)) && !w.pending && !w.Once {
		e.Reason = "the next change starts it again"
	}
	w.say(e)
	if w.state.Ready && w.state.SessionID == s.ID {
		w.state.Ready = false
		_ = w.Dir.SaveWatch(w.state) // the next watch sees that the program is gone
	}
	if err := w.sweep(ctx); err != nil {
		if err = w.unable(ctx, "processes that the program left running cannot be ended", err); err != nil {
			return err
		}
	}
	if w.pending {
		w.pending = false
		return w.cycle(ctx, nil, "")
	}
	if w.code == 0 {
		return w.succeeded(ctx, p)
	}
	return w.failed(ctx, p, s)
}

// codeOf returns the exit code of a session that has ended, or 1 if it is unknown.
func codeOf(s ledger.Session) int {
	if s.ExitCode == nil {
		return 1
	}
	return *s.ExitCode
}

// succeeded goes on after the program p has ended with exit code 0.
func (w *watcher) succeeded(ctx context.Context, p *program) error {
	switch {
	case w.Once && len(w.Ready) > 0 && !p.ready:
		return w.notReady("it ended before it was ready")
	case w.Server:
		return w.forget(ctx)
	}
	w.save()
	return nil
}

// failed goes on after the program p has failed. A server that people have ended is not started again.
func (w *watcher) failed(ctx context.Context, p *program, s ledger.Session) error {
	switch {
	case w.ExitOnError:
		return &FailedError{Code: w.code}
	case w.Server && !onPurpose(s):
		return w.crashed(p)
	case w.Server:
		return w.forget(ctx)
	}
	w.save()
	return nil
}

// forget removes the record of the program, so that the next watch does not look for it.
func (w *watcher) forget(ctx context.Context) error {
	w.kept = nil
	if err := w.Dir.DropWatch(w.ID); err != nil {
		return w.unable(ctx, "the record of the program cannot be removed", err)
	}
	return nil
}

// onPurpose reports whether people or their tools have ended a program. They do so with devtools kill, or with one of
// their signals, which the program may turn into an exit code.
func onPurpose(s ledger.Session) bool {
	return s.ToldToEnd || slices.Contains([]string{"SIGTERM", "SIGINT", "SIGHUP"}, s.Signal) ||
		s.ExitCode != nil && slices.Contains([]int{128 + 15, 128 + 2, 128 + 1}, *s.ExitCode)
}

// sweep ends what the program left behind when it ended.
func (w *watcher) sweep(ctx context.Context) error {
	p := w.program
	p.ended = true
	defer w.release(p)
	if !w.Server {
		return nil
	}
	return w.kill(ctx, p.session.ID)
}

// The delays before a failed program is started again, as long as nothing changes.
const (
	firstDelay = 500 * time.Millisecond
	mostDelay  = 30 * time.Second
	stableTime = time.Minute // after this running time, the delays begin anew
)

// crashed has the program started again, with a longer delay each time.
func (w *watcher) crashed(p *program) error {
	if time.Since(p.started) >= stableTime {
		w.retry.delay = 0
	}
	if w.Once {
		return &FailedError{Code: w.code}
	}
	w.retry.later()
	w.say(Event{Event: EventCrash, Name: p.session.Name, SessionID: p.session.ID, PID: p.session.Main.PID, DelayMs: w.retry.delay.Milliseconds(), Reason: "it restarts after the delay, or when sources change"})
	w.save()
	return nil
}
