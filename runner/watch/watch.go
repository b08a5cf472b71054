package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
	"devtools/stack/files"
)

// ErrQuit, as the cause of the end of the context, ends the watch and its program and forgets the watch. Run then
// returns nil. Any cause but ErrQuit and ErrStop leaves the program to the next watch.
var ErrQuit = errors.New("told to quit")

// ErrStop, as that cause, does the same without the wish of a person. Run then returns the cause.
var ErrStop = errors.New("told to stop")

// A FailedError ends a watch that is to end when something fails. It has the exit code. The watch then ends the program
// too. The exception is a program that an earlier watch has left and that a build was to replace.
type FailedError struct {
	Code int

	keeps bool
}

func (e *FailedError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// A StartError ends a watch that could not start its program even once.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

// A watcher is a running watch. It belongs to one goroutine.
type watcher struct {
	Config
	teller

	sources *sources
	guard   *guard
	state   ledger.Watch
	program *program
	name    string         // name of the program's session
	last    ledger.Session // session of the last program, as it was when the watch began to hold it
	letGo   func()         // releases the claim

	seen    *state   // the sources as they are known now
	built   *state   // the sources from which the running program was built
	kept    *state   // those of built that were last written to disk
	began   bool     // something was run or taken over
	pending bool     // sources have changed, and the program must end by itself first
	renew   bool     // the program must be replaced, whatever OnBusy says
	queued  []string // paths changed since the last successful build

	retry     retry
	postponed postponed
	failure   string    // failure that was reported last
	begun     time.Time // last start of the program
	changed   []string  // paths of the last build
	code      int       // exit code of the last build or program
	buildTime time.Duration
}

// Run watches until ctx ends, and returns its cause. With Once or ExitOnError it may end earlier, and then returns nil
// or a FailedError. When the process to which the program is tethered has been gone for [wire.TetherGrace], the watch ends as
// with ErrStop, or with ErrTaken if another one has taken the program over by then.
func Run(ctx context.Context, c Config) error {
	asked := ctx
	ctx, untie, err := tethered(ctx, c.Program.Tether)
	if err != nil {
		return err
	}
	defer untie()
	w := &watcher{Config: c, teller: teller{tell: c.Tell, mask: c.Mask, since: time.Now()}, guard: newGuard(nil)}
	w.teller.keep = w.keep
	w.say(Event{Event: EventStart, CommandLine: strings.Join(c.Program.Command, " "), Hint: c.Hint, WithheldEnv: c.Program.Withheld})
	claiming, cancel := context.WithTimeout(ctx, claimPatience)
	defer cancel()
	release, err := c.Dir.ClaimWatch(claiming, c.ID)
	switch {
	case ctx.Err() != nil && err != nil:
		return context.Cause(ctx)
	case err != nil:
		return &StartError{fmt.Errorf("%s: %w", wire.NameOf(c.Program), err)}
	}
	w.letGo = release
	defer func() { w.letGo() }()
	if w.sources, err = openSources(c.Sources, w.degraded); err != nil {
		return err
	}
	defer w.sources.close()
	begin := time.Now()
	if w.seen, err = w.sources.scan(ctx, true); err != nil {
		return err
	}
	w.say(Event{Event: EventScan, Files: w.seen.len(), Backend: w.sources.backend(), DurationMs: time.Since(begin).Milliseconds()})
	err = w.first(ctx)
	if err == nil {
		err = w.loop(ctx)
	}
	if errors.Is(err, errLoose) {
		err = w.handOver(asked)
	}
	return w.finish(ctx, err)
}

// claimPatience is how long a watch waits for another watch with the same ID that is about to end.
const claimPatience = 5 * time.Second

func (w *watcher) degraded(why string) { w.say(Event{Event: EventDegraded, Reason: why}) }

// first takes over what already runs, or builds and starts.
func (w *watcher) first(ctx context.Context) error {
	changes, taken := w.takeOver(ctx)
	switch {
	case taken && len(changes) == 0:
		w.began = true
		return nil
	case taken:
		return w.follow(ctx, changes)
	case w.program != nil:
		w.renew = true
		return w.cycle(ctx, nil, "it does not match this watch")
	case w.Postpone, Wants(w.Program.Command):
		return nil
	}
	return w.cycle(ctx, nil, "")
}

// loop waits for the next thing to happen and acts on it.
func (w *watcher) loop(ctx context.Context) error {
	for {
		if done, err := w.done(); done {
			return err
		}
		var exited chan ledger.Session
		var read chan readiness
		if w.program != nil {
			exited, read = w.program.exited, w.program.read
		}
		var err error
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-w.sources.alarm:
			err = w.look(ctx)
		case s := <-exited:
			err = w.ended(ctx, s)
		case r := <-read:
			err = w.readied(r)
		case <-w.retry.timer:
			w.retry.timer = nil
			err = w.replace(ctx, w.changed, "")
		case <-w.postponed.timer:
			changes := w.postponed.take()
			if len(changes) > 0 {
				w.say(Event{Event: EventChange, Paths: pathsOf(changes)})
			}
			err = w.act(ctx, names(changes))
		case <-w.Redo:
			err = w.redo(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// redo builds and replaces the program although nothing has changed.
func (w *watcher) redo(ctx context.Context) error {
	w.guard.others(nil)
	var changed []string
	if Wants(w.Program.Command) {
		if changed = w.changed; len(changed) == 0 {
			w.degraded("nothing has changed yet: there are no paths for {}")
			return nil
		}
	}
	w.renew = true
	return w.cycle(ctx, changed, "a restart was requested")
}

// done reports whether a watch with Once has done everything.
func (w *watcher) done() (bool, error) {
	switch {
	case !w.Once || !w.began || w.retry.timer != nil:
		return false, nil
	case w.program == nil, w.state.Failed:
		if w.code != 0 {
			return true, &FailedError{Code: w.code, keeps: w.state.Failed && !w.ExitOnError}
		}
		return true, nil
	case w.program != nil && w.Server && w.program.ready:
		return true, nil
	}
	return false, nil
}

// follow reports changes and acts on them.
func (w *watcher) follow(ctx context.Context, changes []files.Change) error {
	w.say(Event{Event: EventChange, Paths: pathsOf(changes)})
	w.retry.delay, w.retry.timer, w.failure = 0, nil, ""
	return w.act(ctx, names(changes))
}

// act builds and replaces the program, or does what OnBusy says while the program runs.
func (w *watcher) act(ctx context.Context, paths []string) error {
	if w.program == nil {
		return w.cycle(ctx, paths, "")
	}
	switch w.OnBusy {
	case BusyIgnore:
		return nil
	case BusyQueue:
		w.pending, w.queued = true, union(w.queued, paths)
		return nil
	}
	return w.cycle(ctx, paths, "sources have changed")
}

// cycle builds until the sources are those that were built, and then replaces the program. The program goes on during
// the build, and if the build fails. why is the reason for the replacement.
func (w *watcher) cycle(ctx context.Context, changed []string, why string) error {
	w.began = true
	w.postponed.take() // the build includes all changes
	w.retry.timer, w.pending = nil, false
	for changed = union(w.queued, changed); ; {
		before := w.seen
		w.guard.builds.next()
		ok, err := w.build(ctx, changed)
		if errors.Is(err, errRedo) && ctx.Err() == nil {
			if changed, err = w.quiet(ctx, changed); err == nil {
				continue
			}
		}
		if err != nil {
			w.putOff(changed)
			return w.unable(ctx, "the build cannot be run", err)
		}
		if w.Build != nil {
			after, err := w.sources.scan(ctx, true)
			if err != nil {
				w.putOff(changed)
				return w.unreadable(ctx, err)
			}
			w.seen = after
			if stale := w.sift(&w.guard.builds, w.buildTime, w.sources.changes(before, after), false); len(stale) > 0 {
				w.say(Event{Event: EventStale, Paths: pathsOf(stale)})
				if changed, err = w.quiet(ctx, union(changed, names(stale))); err != nil {
					w.putOff(changed)
					return w.unreadable(ctx, err)
				}
				continue
			}
		}
		if !ok {
			w.queued = changed
			return w.buildFailed(ctx)
		}
		w.built, w.changed, w.queued = w.seen, changed, nil
		if w.postponed.timer != nil { // changes that wait are not in this build
			w.built = before
		}
		if w.program != nil && w.OnBusy == BusySignal && !w.renew {
			return w.signal(ctx)
		}
		return w.replace(ctx, changed, why)
	}
}

// putOff has changes built later, after a build that could not be run.
func (w *watcher) putOff(changed []string) {
	w.queued, w.postponed.timer = changed, time.After(buildRetry)
}

// buildRetry is the delay before such a build is tried again.
const buildRetry = 2 * time.Second

// buildFailed leaves the old program running, or ends it.
func (w *watcher) buildFailed(ctx context.Context) error {
	w.save()
	if w.BuildFailed == BuildStop {
		if err := w.end(ctx, "the build has failed"); err != nil {
			return w.unable(ctx, "the old program cannot be ended", err)
		}
	}
	if w.ExitOnError {
		return &FailedError{Code: w.code}
	}
	if w.retry.owed && w.BuildFailed == BuildKeep { // a start owed since the last successful build
		w.retry.later()
	}
	return nil
}

// signal tells the program of the change.
func (w *watcher) signal(ctx context.Context) error {
	w.say(Event{Event: EventSignal, Signal: "SIG" + w.BusySignal, Name: w.name, PID: w.program.session.Main.PID})
	if err := w.program.client.Signal(ctx, w.BusySignal); err != nil && !errors.Is(err, wire.ErrHolderGone) {
		return w.unable(ctx, "the program cannot receive the signal "+w.BusySignal, err)
	}
	w.save()
	return nil
}

// unable reports something that failed. The watch goes on unless it is to end.
func (w *watcher) unable(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err = fmt.Errorf("%s: %w", what, err)
	switch {
	case w.Once:
		return &StartError{err}
	case w.ExitOnError:
		return err
	}
	if why := err.Error(); why != w.failure { // the same step is tried again and again
		w.failure = why
		e := Event{Event: EventFailed, Reason: why, Hint: "watch waits for the next change"}
		if w.retry.timer != nil || w.postponed.timer != nil {
			e.Hint = "watch tries again after a delay, and when something changes"
		}
		w.say(e)
	}
	return nil
}

func (w *watcher) unreadable(ctx context.Context, err error) error {
	return w.unable(ctx, "the sources cannot be read", err)
}

// finish ends the watch, with or without its program.
func (w *watcher) finish(ctx context.Context, err error) error {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.KillAfter+endPatience)
	defer cancel()
	quit := errors.Is(err, ErrQuit)
	failed, ok := errors.AsType[*FailedError](err)
	var left error // error while ending the program
	if quit || errors.Is(err, ErrStop) || ok && !failed.keeps {
		if left = w.end(ending, "the watch ends"); errors.As(left, new(*takenError)) {
			left = nil // an unrelated process has the port
		}
		w.endLeft(ending, "")
		left = errors.Join(left, w.Dir.DropWatch(w.ID))
	}
	e := Event{Event: EventEnd, Reason: "done"}
	if err != nil {
		e.Reason = err.Error()
	}
	if w.program != nil {
		e.Name, e.SessionID, e.PID = w.nameOf(w.program.session), w.program.session.ID, w.program.session.Main.PID
		if e.Hint = "the next watch takes it over; devtools kill " + e.Name + " ends it"; left != nil {
			e.Hint = "devtools kill " + e.Name
		}
		w.release(w.program)
	}
	w.say(e)
	switch {
	case left != nil:
		return fmt.Errorf("the program could not be ended: %w", left)
	case quit:
		return nil
	}
	return err
}
