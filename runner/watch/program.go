package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/list"
	"devtools/runner/wire"
)

// A program is the running program, in a session of its own.
type program struct {
	client  *runner.Client
	session ledger.Session
	started time.Time
	ready   bool
	ended   bool
	daemon  bool // the main process has ended, and what it left running is the server
	ports   []int
	stop    context.CancelFunc // ends the waiting for the program, not the program
	idle    *idleness          // nil if nobody asks for it

	exited chan ledger.Session // receives one value when the program has ended
	shown  chan struct{}       // closed when all its output was shown
	read   chan readiness      // receives one value when the program is ready, or will not be
}

// A readiness is the result of waiting until the program is ready.
type readiness struct {
	waited runner.Waited
	ports  []int
	err    error
}

// start starts the program for the changed paths. Its holder was prepared before. The session keeps the name and the labels of
// the one before. If another process starts a session for this watch at the same time, only one of them gets the name.
func (w *watcher) start(ctx context.Context, starter *runner.Starter, changed []string) error {
	spec := w.withPaths(w.Program, changed)
	spec.Labels = w.takeNaming()
	client, err := w.startNamed(ctx, starter, spec)
	if err != nil {
		return err
	}
	w.guard.starts.next()
	w.guard.rhythm.next()
	w.hold(ctx, client, 0)
	w.begun = w.program.started
	w.say(Event{
		Event: EventSpawn, Name: w.name, SessionID: client.Session.ID, PID: client.Session.Main.PID,
		CommandLine: strings.Join(client.Session.Command, " "),
	})
	return nil
}

// startSession starts a session. If ctx ends during the start, startSession still returns the session. Otherwise it
// would run on unknown.
func startSession(ctx context.Context, starter *runner.Starter, spec wire.Spec) (*runner.Client, error) {
	starting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(startPatience, cancel) })()
	return starter.Start(starting, spec)
}

// startPatience is how much longer than the watch a start may take.
const startPatience = 2 * time.Second

// kill ends a session of this watch. It is no error if the session has already ended.
func (w *watcher) kill(ctx context.Context, session string) error {
	ending, err := runner.Kill(ctx, w.Dir, []string{session}, w.Signal, w.KillAfter)
	if errors.Is(err, wire.ErrEnded) || errors.Is(err, ledger.ErrNoSession) {
		return nil
	}
	return killed(session, ending, err)
}

// endSession does the work of kill for a session with an open connection to its holder. The connection is enough even
// if the state folder is gone.
func (w *watcher) endSession(ctx context.Context, client *runner.Client) error {
	ending, err := client.End(ctx, w.Signal, w.KillAfter)
	if errors.Is(err, wire.ErrHolderGone) {
		return w.kill(ctx, client.Session.ID)
	}
	return killed(client.Session.Name, ending, err)
}

// killed returns the reason why no other session can start after this one was ended. Either a process of it still
// lives, or other processes have its ports.
func killed(session string, ending runner.KillResult, err error) error {
	if err != nil {
		return err
	}
	for _, f := range ending.Failed {
		return fmt.Errorf("process %d of session %q %w: %s", f.PID, session, errLives, f.Reason)
	}
	for _, port := range ending.OpenPorts {
		return &takenError{port.Port, port.PID, port.Name}
	}
	return nil
}

// mostChanged is how many bytes of paths a program receives. Linux accepts 128 KiB in one string.
const mostChanged = 100 << 10

// withPaths returns the spec for a run with these paths. They replace {}, and they are in the environment.
func (w *watcher) withPaths(spec wire.Spec, paths []string) wire.Spec {
	told := fitting(w.from(spec.Cwd, paths), mostChanged)
	if len(told) < len(paths) && Wants(spec.Command) {
		w.degraded(fmt.Sprintf("only the first %d of %d changed paths fit in place of {}", len(told), len(paths)))
	}
	spec.Command = expand(spec.Command, told)
	spec.Env = append(slices.Clone(spec.Env), "DEVTOOLS_CHANGED="+strings.Join(told, "\n"))
	return spec
}

// from converts paths relative to the working directory into paths relative to a folder.
func (w *watcher) from(folder string, paths []string) []string {
	base := w.Sources.Base
	if folder == "" || folder == base {
		return paths
	}
	there := make([]string, len(paths))
	for i, path := range paths {
		if there[i] = filepath.FromSlash(path); !filepath.IsAbs(there[i]) {
			there[i] = filepath.Join(base, there[i])
		}
		if rel, err := filepath.Rel(folder, there[i]); err == nil {
			there[i] = rel
		}
	}
	return there
}

// fitting returns as many of the first paths as have room.
func fitting(paths []string, room int) []string {
	for i, path := range paths {
		if room -= len(path) + 1; room < 0 {
			return paths[:i]
		}
	}
	return paths
}

// hold makes a session the program of the watch, and shows its output from the given offset.
func (w *watcher) hold(ctx context.Context, client *runner.Client, from int64) {
	ctx, stop := context.WithCancel(ctx)
	p := &program{
		client: client, session: client.Session, started: time.Now(), stop: stop,
		exited: make(chan ledger.Session, 1), read: make(chan readiness, 2), shown: make(chan struct{}),
	}
	w.program, w.last = p, p.session
	if w.guard.suspects() {
		p.idle = watchIdle(ctx, p.session.Holder.PID)
	}
	go func() {
		if waited, err := client.Wait(ctx, runner.Wait{Until: []condition.Condition{condition.Exit()}}); ctx.Err() == nil {
			if err != nil { // the holder is gone: its program is an orphan
				waited.Session = p.session
			}
			p.exited <- waited.Session
		}
	}()
	if w.Show == nil {
		close(p.shown)
		return
	}
	go func() {
		defer close(p.shown)
		sink, done := w.Show()
		_, _, _ = client.Follow(ctx, from, sink) // the output is in the transcript anyway
		done()
	}()
}

// awaitReady waits in the background until the program is ready.
func (w *watcher) awaitReady(ctx context.Context) {
	p := w.program
	if len(w.Ready) == 0 {
		p.read <- readiness{}
		return
	}
	go func() {
		waited, err := p.client.Wait(ctx, runner.Wait{Until: w.Ready, Timeout: w.ReadyTimeout})
		r := readiness{waited: waited, err: err}
		if err == nil && len(waited.Met) > 0 {
			r.ports = portsOf(ctx, w.Dir, p.session.ID)
		}
		p.read <- r
	}()
}

// followDaemon follows what a program left running when it ended successfully. That is the server now.
func (w *watcher) followDaemon(ctx context.Context, p *program) {
	p.daemon = true
	ctx, cancel := context.WithCancel(ctx)
	stop := p.stop
	p.stop = func() { cancel(); stop() }
	go func() {
		_, _, _ = p.client.Follow(ctx, 0, wire.Sink{Write: func([]byte, transcript.Kind, int64) error { return nil }})
		if s, err := w.Dir.LoadSession(p.session.ID); err == nil && ctx.Err() == nil {
			p.exited <- s
		}
	}()
	if p.ready || len(w.Ready) == 0 {
		return
	}
	go func() {
		timeout := time.After(cmp.Or(w.ReadyTimeout, never))
		for tick := time.NewTicker(daemonLook); ; {
			ports := portsOf(ctx, w.Dir, p.session.ID)
			for _, cond := range w.Ready {
				if cond.IsPort() && len(ports) > 0 && (cond.Port() == 0 || slices.Contains(ports, cond.Port())) {
					p.read <- readiness{waited: runner.Waited{Met: []string{cond.String()}}, ports: ports}
					return
				}
			}
			select {
			case <-tick.C:
			case <-timeout:
				p.read <- readiness{waited: runner.Waited{TimedOut: true}}
				return
			case <-ctx.Done():
				return
			}
		}
	}()
}

// daemonLook is how often the watch checks on which ports a daemon listens, for which no holder has a terminal. never
// is longer than anybody waits.
const (
	daemonLook = 50 * time.Millisecond
	never      = 100 * 365 * 24 * time.Hour
)

// portsOf returns the ports on which a session listens.
func portsOf(ctx context.Context, dir ledger.Dir, id string) (ports []int) {
	for _, p := range list.PortsOf(ctx, dir, id) {
		ports = append(ports, p.Port)
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// sessionOf returns the name of the session to which a process belongs, or "" if there is none.
func sessionOf(ctx context.Context, dir ledger.Dir, pid int) string {
	listing, err := list.List(ctx, dir, false, false)
	if err != nil { // the name is only for a hint
		return ""
	}
	for _, p := range slices.Concat(listing.Active, listing.Orphaned) {
		if p.PID == pid {
			return p.TerminalName
		}
	}
	return ""
}

// errLives reports a program that could not be ended.
var errLives = errors.New("is still running")

// end ends the program and everything that it has started, and waits until its ports are free.
func (w *watcher) end(ctx context.Context, why string) error {
	p := w.program
	if p == nil {
		return nil
	}
	begin := time.Now()
	defer w.hurries(ctx, p.session.ID)()
	w.state.Ending = true
	w.saveState() // the next watch must not take over a program that is about to end
	w.say(Event{Event: EventEnding, Name: w.nameOf(p.session), SessionID: p.session.ID, PID: p.session.Main.PID, Signal: "SIG" + w.Signal, Reason: why})
	err := w.endSession(ctx, p.client)
	taken, ok := errors.AsType[*takenError](err)
	if err != nil && !ok {
		return err
	}
	took := time.Since(begin)
	p.ended = true
	w.release(p)
	ended, err := w.Dir.LoadSession(p.session.ID)
	w.say(Event{
		Event: EventStop, Name: w.nameOf(p.session), SessionID: p.session.ID, PID: p.session.Main.PID, Signal: "SIG" + w.Signal,
		Forced: err == nil && ended.Signal == "SIGKILL" || w.KillAfter > 0 && took >= w.KillAfter, DurationMs: took.Milliseconds(), Reason: why,
	})
	if ok {
		return taken
	}
	return nil
}

// hurries has a session killed as soon as somebody is in a hurry. It stops doing so when the returned function is
// called.
func (w *watcher) hurries(ctx context.Context, session string) (done func()) {
	ctx, done = context.WithCancel(ctx)
	go func() {
		select {
		case <-w.Hurry:
			_, _ = runner.Kill(ctx, w.Dir, []string{session}, "KILL", 0) // the caller that ends the session reports the result
		case <-ctx.Done():
		}
	}()
	return done
}

// showTime is how long the watch waits until the last output of an ended program is shown.
const showTime = time.Second

// release forgets the program after its output was shown.
func (w *watcher) release(p *program) {
	if !p.ended {
		p.stop()
	}
	select {
	case <-p.shown:
	case <-time.After(showTime):
	}
	p.stop()
	_ = p.client.Close()
	if w.program == p {
		w.program = nil
	}
}

// A takenError reports a port of the program on which another process listens.
type takenError struct {
	port, pid int
	name      string
}

func (e *takenError) Error() string {
	if e.pid == 0 {
		return fmt.Sprintf("port %d is taken by a process that devtools cannot see", e.port)
	}
	return fmt.Sprintf("port %d is taken by %s (pid %d), which this watch did not start", e.port, e.name, e.pid)
}
