package commands

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/attach"
	"devtools/runner/condition"
	"devtools/runner/list"
	"devtools/runner/wire"
	"devtools/screen"
)

func launchCommand() *cli.Command {
	one := 1
	return &cli.Command{
		Name:      "launch",
		Usage:     "start a session and return, at once or when it is ready",
		ArgsUsage: "[--] [COMMAND [ARGUMENT…]]",
		Description: "Starts COMMAND, or your shell, in a terminal of its own and returns. The session goes on until its\n" +
			"command ends or kill ends it. It is called after its program unless --name says how. With --ready it\n" +
			"returns when a condition of wait is true, and fails early when the command ends before; with --stack dev\n" +
			"the workspace's own command is started, and is ready when it listens.\n\n" +
			"Example: devtools launch --stack dev; devtools launch --name db --ready port:5432 -- ./start-db\n\n" +
			"Exit code: 0; 1 it ended before it was ready, 122 --fail, 124 timed out, 125 not started, 126 not\n" +
			"executable, 127 not found.",
		StopOnNthArg: &one,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringSliceFlag{Name: "ready", Usage: "return when the `CONDITION` is true; of several when any is"},
		}, conditionFlags("give up waiting for --ready after `DURATION`, 0 is never"), []cli.Flag{
			&cli.BoolFlag{Name: "attach", Usage: "put this terminal in front of it"},
			&cli.BoolFlag{Name: "A", Usage: "the same, and take the session that has the name, if there is one"},
			&cli.BoolFlag{Name: "replace", Usage: "end the session that has the name first"},
			&cli.BoolFlag{Name: "if-absent", Usage: "take the session that has the name, if there is one"},
			&cli.IntFlag{Name: "tether", Usage: "end the session 3s after the process `PID` has ended", HideDefault: true},
			&cli.StringSliceFlag{Name: "label", Usage: "give it the label `KEY=VALUE`"},
			&cli.IntFlag{Name: "max-sessions", Usage: "refuse when `N` sessions live in the workspace, 0 is never", Value: 15},
			&cli.StringFlag{Name: "on-exit", Usage: "what becomes of processes that outlive the command: `keep` or kill", Value: "keep"},
			&cli.StringFlag{Name: "size", Usage: "size of the terminal, `COLSxROWS` (default: that of the one that attaches, else 80x24)"},
			&cli.IntFlag{Name: "scrollback", Usage: fmt.Sprintf("keep `N` rows that have left the screen (default: %d)", screen.DefaultScrollback), HideDefault: true},
			&cli.StringFlag{Name: "kill-after", Usage: "with --replace, send KILL `DURATION` after TERM", Value: "5s"},
			stackFlag(),
		}, specFlags(), attachFlags()),
		ArgValidator:  commandOrStack,
		ShellComplete: completeStack,
		Action:        launch,
	}
}

// A launchRequest is the meaning of the flags of launch.
type launchRequest struct {
	spec      wire.Spec
	name      string // name of the session, also if the spec has none
	ready     runner.Wait
	replace   bool
	ifAbsent  bool
	killAfter time.Duration
	attach    *attachOptions // nil: do not attach
	stack     bool           // the command is one of the workspace's own
}

// A launchResult is the output of launch --json.
type launchResult struct {
	Name      string            `json:"name"`
	SessionID string            `json:"sessionId"`
	Command   []string          `json:"command"`
	Cwd       string            `json:"cwd"`
	PID       int               `json:"pid"`
	Size      ledger.Size       `json:"size"`
	Status    string            `json:"status"`
	Socket    string            `json:"socket"`
	Log       string            `json:"log"`
	Labels    map[string]string `json:"labels,omitempty"`
	Created   bool              `json:"created"` // false if --if-absent found a session
	Ready     *waitResult       `json:"ready,omitempty"`
	Ports     []list.Port       `json:"ports,omitempty"` // with --stack: ports of the session when it is ready
}

func launch(ctx context.Context, cmd *cli.Command) error {
	req, err := newLaunchRequest(ctx, cmd)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	client, created, err := req.start(ctx, cmd, signals)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // a signal ends the wait, but not the session
		select {
		case sig := <-signals:
			cancel()
			endBy(sig)
		case <-ctx.Done():
		}
	}()
	dir, err := ledger.Open(req.spec.Dir)
	if err != nil {
		return err
	}
	if !created && len(req.spec.Labels) > 0 {
		note(cmd, "session %q was there: it keeps the labels that it has", client.Session.Name)
	}
	session, begin := client.Session, time.Now()
	var waited runner.Waited
	if len(req.ready.Until) > 0 {
		if waited, err = client.Wait(ctx, req.ready); err != nil {
			return err
		}
		session = waited.Session
	}
	if req.attach != nil {
		if err := req.notReady(ctx, cmd, dir, waited); err != nil {
			return err
		}
		cancel() // from now on the signals are for the terminal
		signal.Stop(signals)
		err := attachTo(context.WithoutCancel(ctx), cmd, client, *req.attach)
		if errors.Is(err, wire.ErrHolderGone) || errors.Is(err, wire.ErrEnded) {
			return showEnded(context.WithoutCancel(ctx), cmd, dir, client.Session.ID)
		}
		return err
	}
	result := newLaunchResult(dir, session, created)
	if len(req.ready.Until) > 0 {
		ready := newWaitResult(waited, time.Since(begin))
		result.Ready = &ready
	}
	if req.stack && len(waited.Met) > 0 {
		result.Ports = list.PortsOf(ctx, dir, session.ID)
	}
	if err := show(cmd, result, launchName); err != nil {
		return err
	}
	if !cmd.Bool("json") {
		sayListening(cmd, result)
	}
	return req.notReady(ctx, cmd, dir, waited)
}

// sayListening tells a person where the session listens.
func sayListening(cmd *cli.Command, r launchResult) {
	for _, p := range r.Ports {
		note(cmd, "%s listens on %s", r.Name, cmp.Or(p.URL, p.Address+" port "+strconv.Itoa(p.Port)))
	}
}

// lastShown is the number of last lines that are shown of an ended session.
const lastShown = 100

// showEnded shows the output of a session that had ended before it could be attached. It prints to the person's
// terminal.
func showEnded(ctx context.Context, cmd *cli.Command, dir ledger.Dir, id string) error {
	waited, err := runner.WaitFor(ctx, dir, id, runner.Wait{Until: []condition.Condition{condition.Exit()}, Timeout: 30 * time.Second})
	if err != nil {
		return err
	}
	if waited.TimedOut {
		return fmt.Errorf("session %q: %w", waited.Session.Name, wire.ErrNoAnswer)
	}
	if lines := lastLines(dir, waited.Session, lastShown); lines != "" { // as text: a terminal would answer queries in it
		if _, err := fmt.Fprintln(cmd.Root().Writer, lines); err != nil {
			return err
		}
	}
	sayAttached(cmd, attach.Result{How: attach.Ended, Session: waited.Session})
	if code := waited.Session.ExitCode; code != nil && *code != 0 {
		return exitCode(*code)
	}
	return nil
}

func newLaunchResult(dir ledger.Dir, s ledger.Session, created bool) launchResult {
	return launchResult{
		Name: s.Name, SessionID: s.ID, Command: s.Command, Cwd: s.Cwd, PID: s.Main.PID, Size: s.Size,
		Status: s.Status, Socket: s.Socket, Log: runner.LogPath(dir, s), Labels: s.Labels, Created: created,
	}
}

// launchName prints the name, for people and for scripts: name=$(devtools launch -- top).
func launchName(w io.Writer, r launchResult) error {
	_, err := fmt.Fprintln(w, r.Name)
	return err
}

// newLaunchRequest parses the command line and finds the program.
func newLaunchRequest(ctx context.Context, cmd *cli.Command) (req launchRequest, err error) {
	s := &req.spec
	if req.ready, err = readWait(cmd, "ready"); err != nil {
		return req, err
	}
	if len(req.ready.Until) == 0 && !cmd.IsSet("stack") && (cmd.IsSet("fail") || cmd.IsSet("all") || cmd.IsSet("timeout")) {
		return req, usagef("launch: --fail, --all and --timeout are about --ready, which is missing")
	}
	if req.killAfter, err = duration(cmd, "kill-after"); err != nil {
		return req, err
	}
	if req.replace, req.ifAbsent = cmd.Bool("replace"), cmd.Bool("if-absent") || cmd.Bool("A"); req.replace && req.ifAbsent {
		return req, usagef("launch: --replace ends the session that --if-absent and -A take: one of them")
	}
	if err := req.readAttach(cmd); err != nil {
		return req, err
	}
	if err := req.readSize(cmd); err != nil {
		return req, err
	}
	if cmd.IsSet("scrollback") {
		n := cmd.Int("scrollback")
		if n < 0 || n > screen.MaxScrollback {
			return req, usagef("--scrollback %d: it is from 0 to %d rows", n, screen.MaxScrollback)
		}
		s.Scrollback = &n
	}
	if s.Tether = cmd.Int("tether"); s.Tether < 0 || cmd.IsSet("tether") && s.Tether == 0 {
		return req, usagef("--tether %d: it is the pid of a process", s.Tether)
	}
	if s.MaxSessions = cmd.Int("max-sessions"); s.MaxSessions < 0 {
		return req, usagef("--max-sessions %d: it is a number of sessions", s.MaxSessions)
	}
	if s.Labels, err = labels(cmd); err != nil {
		return req, err
	}
	s.Shell = true
	onExit, err := choice(cmd, "on-exit", "keep", "kill")
	if err != nil {
		return req, err
	}
	if s.Grace, s.Leftovers = runGrace, wire.LeftoversReport; onExit == "kill" {
		s.Grace, s.Leftovers = 0, wire.LeftoversKill
	}
	args := cmd.Args().Slice()
	switch {
	case cmd.IsSet("stack"):
		if args, err = req.useStack(ctx, cmd); err != nil {
			return req, err
		}
	case len(args) == 0:
		args = []string{runner.UserShell()}
	}
	if err := readSpec(cmd, s); err != nil {
		return req, err
	}
	if err := readCommand(cmd, s, args); err != nil {
		return req, err
	}
	req.name = wire.NameOf(*s)
	return req, nil
}

// useStack makes the session run the command that --stack names. The session gets that command's name, and it is
// ready when the command is.
func (req *launchRequest) useStack(ctx context.Context, cmd *cli.Command) (args []string, err error) {
	c, err := findStackCommand(ctx, cmd, &req.spec)
	if err != nil {
		return nil, err
	}
	req.stack = true
	if len(req.ready.Until) == 0 {
		ready := c.wait()
		ready.Fail, ready.All = req.ready.Fail, ready.All || req.ready.All
		if cmd.IsSet("timeout") {
			ready.Timeout = req.ready.Timeout
		}
		req.ready = ready
	}
	return c.Argv, nil
}

// readAttach reads the flags for attaching this terminal.
func (req *launchRequest) readAttach(cmd *cli.Command) error {
	if !cmd.Bool("attach") && !cmd.Bool("A") {
		if cmd.IsSet("read-only") || cmd.IsSet("detach-keys") {
			return usagef("launch: --read-only and --detach-keys are about --attach, which is missing")
		}
		return nil
	}
	if _, _, ok := person(cmd); !ok {
		return fmt.Errorf("launch: %w", attach.ErrNotAttachable)
	}
	opts, err := newAttachOptions(cmd)
	req.attach = &opts
	return err
}

// readSize sets the size of the terminal.
func (req *launchRequest) readSize(cmd *cli.Command) (err error) {
	s := &req.spec
	s.Size = ledger.Size{Cols: 80, Rows: 24}
	if cmd.String("size") != "" {
		s.Size, err = parseSize("--size", cmd.String("size"))
		return err
	}
	if req.attach == nil {
		return nil
	}
	_, out, _ := person(cmd)
	s.Size = sizeOf(out)
	return nil
}

// sizeOf returns the size of a person's terminal as the size for a session. If w is not a terminal, the size is 80 by
// 24.
func sizeOf(w io.Writer) ledger.Size {
	if out, ok := w.(*os.File); ok {
		if cols, rows, err := term.GetSize(int(out.Fd())); err == nil && cols > 0 && rows > 0 {
			return ledger.Size{Cols: min(cols, screen.MaxCols), Rows: min(rows, screen.MaxRows)}
		}
	}
	return ledger.Size{Cols: 80, Rows: 24}
}

// runGrace is the grace: for this time, processes that outlive the program of a session belong to its end.
const runGrace = 3 * time.Second

// start starts the session, or takes an existing one.
func (req launchRequest) start(ctx context.Context, cmd *cli.Command, signals chan os.Signal) (client *runner.Client, created bool, err error) {
	if req.replace {
		done, err := req.makeRoom(ctx)
		if err != nil {
			return nil, false, err
		}
		defer done()
	}
	if req.ifAbsent {
		if client, err := req.present(ctx); client != nil || err != nil {
			return client, false, err
		}
	}
	if req.stack && !req.ifAbsent && !req.replace && req.spec.Name == "" {
		if dir, err := ledger.Open(req.spec.Dir); err == nil {
			if s, ok := dir.Living(req.name); ok {
				note(cmd, "%s runs already (pid %d), and this is another one: --if-absent takes it", s.Name, s.Main.PID)
			}
		}
	}
	if req.ifAbsent || req.replace {
		req.spec.Name = req.name // so that it does not become "web-2" beside a "web" that has just started
	}
	client, err = startSession(ctx, req.spec, nil, signals)
	if req.ifAbsent && errors.Is(err, wire.ErrNameTaken) {
		if client, err := req.present(ctx); client != nil || err != nil {
			return client, false, err
		}
	}
	return client, true, err
}

// present returns the living session with the name, or nil if there is none.
func (req launchRequest) present(ctx context.Context) (*runner.Client, error) {
	dir, err := ledger.Open(req.spec.Dir)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	client, err := runner.DialLiving(ctx, dir, req.name)
	if err != nil || client == nil || req.spec.Tether == 0 {
		return client, err
	}
	if client.Session, err = client.Tether(ctx, req.spec.Tether); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return client, nil
}

// replacePatience is how long other processes may take to replace the same session, beyond the time for ending it.
const replacePatience = 30 * time.Second

// makeRoom ends the session with the name. Until done is called, it keeps other processes from taking the name.
func (req launchRequest) makeRoom(ctx context.Context) (done func(), err error) {
	dir, err := ledger.Create(req.spec.Dir)
	if err != nil {
		return nil, &startError{err}
	}
	turn, cancel := context.WithTimeout(ctx, req.killAfter+replacePatience)
	defer cancel()
	done, err = dir.LockName(turn, req.name)
	if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return nil, err
	}
	if err != nil {
		return nil, &startError{fmt.Errorf("another process replaces session %q, and does not come to an end: %w", req.name, err)}
	}
	if _, ok := dir.Living(req.name); !ok {
		return done, nil
	}
	if err := req.fits(dir); err != nil { // check before ending a session
		done()
		return nil, err
	}
	outcome, err := runner.Kill(ctx, dir, []string{req.name}, "TERM", req.killAfter)
	if err == nil && len(outcome.Failed) > 0 {
		err = fmt.Errorf("session %q: process %d lives on: %s", req.name, outcome.Failed[0].PID, outcome.Failed[0].Reason)
	}
	if err != nil && !errors.Is(err, wire.ErrEnded) && !errors.Is(err, ledger.ErrNoSession) {
		done()
		return nil, &startError{fmt.Errorf("replace: %w", err)}
	}
	return done, nil
}

// fits returns an error if the limit of sessions forbids a session in place of the one with the name.
func (req launchRequest) fits(dir ledger.Dir) error {
	active, err := dir.Active()
	if err != nil {
		return err
	}
	others := 0
	for _, s := range active.Sessions {
		if !s.Ended() && s.Name != req.name && dir.Held(s.ID) {
			others++
		}
	}
	if req.spec.MaxSessions > 0 && others >= req.spec.MaxSessions {
		return fmt.Errorf("%w: %d live in this workspace besides %q, and %d may in all", wire.ErrTooMany, others, req.name, req.spec.MaxSessions)
	}
	return nil
}

// notReady returns why the session is not ready. If the session has ended, or a condition of --fail is true, the
// error includes the last output.
func (req launchRequest) notReady(ctx context.Context, cmd *cli.Command, dir ledger.Dir, waited runner.Waited) error {
	if len(req.ready.Until) == 0 {
		return nil
	}
	err := waitFault(waited, req.ready)
	if about, ok := errors.AsType[*sessionError](err); ok && errors.Is(err, errUnmet) {
		about.hint = packagesHint(ctx, cmd, waited.Session)
	}
	if errors.Is(err, errUnmet) || errors.Is(err, errFailed) {
		if lines := lastLines(dir, waited.Session, 10); lines != "" {
			err = fmt.Errorf("%w\nit printed last:\n%s", err, lines)
		}
	}
	return err
}

// lastLines returns the last lines of the session's output, as text.
func lastLines(dir ledger.Dir, s ledger.Session, n int) string {
	log, err := runner.OpenLog(dir, s.ID)
	if err != nil {
		return "" // the message must do without them
	}
	defer log.Close()
	start, err := log.Tail(n)
	if err != nil {
		return ""
	}
	page, err := log.Page(start, 0)
	if err != nil {
		return ""
	}
	var text bytes.Buffer
	size := s.Size
	if size == (ledger.Size{}) {
		size = ledger.Size{Cols: 80, Rows: 24}
	}
	plain := screen.NewPlain(&text, size.Cols, size.Rows)
	_, _ = plain.Write(page.Data) // neither can fail
	_ = plain.Close()
	return strings.TrimRight(text.String(), "\n")
}
