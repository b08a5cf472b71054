package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/declared"
	"devtools/runner/guard"
	"devtools/runner/guard/isolation"
)

// A launchListing is the output of launch --all --json without a command.
type launchListing struct {
	Launched []launchResult `json:"launched"` // sessions that run, those that ran before too, in the order of their start
	Errors   []errorDetail  `json:"errors"`   // why other sessions do not run, or are not ready
}

// launchesAll reports whether launch is to start the sessions that the workspace declares. With conditions or a command,
// --all is about the conditions.
func launchesAll(cmd *cli.Command) bool {
	return cmd.Bool("all") && cmd.Args().Len() == 0 && firstGiven(cmd, []string{"ready", "stack", "fail"}) == ""
}

// launchAllRules are the rules about --all without a command. What a session is like stands in the file.
var launchAllRules = []flagRule{{
	flags: []string{
		"name", "title", "cwd", "env", "secret", "shell", "size", "scrollback", "no-pty", "screen", "attach", "A", "read-only", "detach-keys", "replace",
		"if-absent",
	},
	without: []string{"all"},
	reason:  "without a command and --ready, --all starts the sessions of sessions.toml",
}}

// A launching is a declared session that is being launched.
type launching struct {
	launchRequest
	declared declared.Session
	after    []*launching
	settled  chan struct{} // closed when it is ready or has failed
	result   launchResult  // without a name if it does not run
	err      error         // why it is not ready
}

// launchAll starts the declared sessions that do not run, each when those that it needs are ready, and waits until all are.
func launchAll(ctx context.Context, cmd *cli.Command) error {
	if err := checkFlags(cmd, launchAllRules); err != nil {
		return err
	}
	if err := checkFields(cmd, launchListing{}); err != nil {
		return err
	}
	list, err := launchings(cmd)
	if err != nil {
		return err
	}
	if err := judgeDeclared(cmd, list); err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, endSignals()...)
	defer signal.Stop(signals)
	ctx, stop := endedBySignals(ctx, signals, saysGoingOn(cmd, "the sessions that have started still run", devtoolsCommand(cmd)+" ps"))
	defer stop()
	others := context.WithValue(ctx, starterKey{}, nil) // one holder is prepared, for one session
	for i, l := range list {
		if i > 0 {
			ctx = others
		}
		go l.launch(ctx, cmd)
	}
	return showLaunches(ctx, cmd, list)
}

// judgeDeclared asks the policy about all sessions before one of them starts.
func judgeDeclared(cmd *cli.Command, list []*launching) error {
	path, err := stateFolder(cmd)
	if err != nil {
		return err
	}
	return judge(cmd, path, func() []guard.Call { return declaredCalls(cmd, list) })
}

// launchings returns the declared sessions in the order of their start.
func launchings(cmd *cli.Command) (list []*launching, err error) {
	path, err := stateFolder(cmd)
	if err != nil {
		return nil, err
	}
	missing := usagef("launch: --all: no session is declared in %s", filepath.Join(path, "sessions.toml"))
	dir, err := openFolder(cmd, path)
	if isMissing(err) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	sessions, err := declaredIn(dir)
	if err != nil {
		return nil, &usageError{message: err.Error(), hint: "devtools help launch describes the file"}
	}
	if len(sessions) == 0 {
		return nil, missing
	}
	req, err := newDeclaredRequest(cmd)
	if err != nil {
		return nil, err
	}
	byName := map[string]*launching{}
	for _, s := range sessions {
		l := &launching{launchRequest: req, declared: s, settled: make(chan struct{})}
		l.name, l.ready.Until, l.spec.RestartOnFailure = s.Name, s.Ready, s.Restart
		if err := checkDeclared(cmd, s, filepath.Dir(dir.Path())); err != nil {
			return nil, err
		}
		for _, name := range s.After {
			l.after = append(l.after, byName[name])
		}
		byName[s.Name] = l
		list = append(list, l)
	}
	return list, nil
}

// checkDeclared returns an error if a declared session cannot be started with the isolation that the command line asks for. root is
// the folder that has the state folder.
func checkDeclared(cmd *cli.Command, s declared.Session, root string) error {
	if err := checkReachable(cmd, "sessions.toml: ["+s.Name+"]: ready", s.Ready); err != nil {
		return err
	}
	level, err := isolationLevel(cmd, nil)
	if err != nil || level == isolation.None || !s.Relative {
		return err
	}
	if cmd.IsSet("workspace") {
		if root, err = workspaceOf(cmd); err != nil {
			return err
		}
	}
	return checkWithin("sessions.toml: ["+s.Name+"]: folder", s.Folder, s.Folder, root)
}

// isDeclared reports whether people have declared a session called name in a state folder.
func isDeclared(dir ledger.Dir, name string) bool {
	list, err := declaredIn(dir)
	return err == nil && slices.ContainsFunc(list, func(s declared.Session) bool { return s.Name == name })
}

// declaredIn reads the sessions that people have declared in a state folder.
func declaredIn(dir ledger.Dir) ([]declared.Session, error) {
	data, path, err := dir.Declared()
	return declared.Read(data, path, filepath.Dir(dir.Path()), err)
}

// newDeclaredRequest returns what the command line says of all declared sessions.
func newDeclaredRequest(cmd *cli.Command) (req launchRequest, err error) {
	req.ifAbsent = true
	if req.ready.Timeout, err = duration(cmd, "timeout"); err != nil {
		return req, err
	}
	if req.killAfter, err = duration(cmd, "kill-after"); err != nil {
		return req, err
	}
	if err := req.readSize(cmd); err != nil {
		return req, err
	}
	return req, req.readLife(cmd)
}

// readDeclared completes the request when the session is to start: an earlier one may have made its folder and its program.
func (l *launching) readDeclared(cmd *cli.Command) (err error) {
	s := &l.spec
	if s.Cwd, err = workingDirectory(l.declared.Folder); err != nil {
		return &startError{err}
	}
	if err := readSpec(cmd, s); err != nil {
		return err
	}
	s.Env = lastOfEach(append(s.Env, l.declared.Env...))
	s.Name = l.name
	if err := readOnExit(cmd, s); err != nil {
		return err
	}
	if l.declared.Line != "" {
		return readCommand(cmd, s, "", l.declared.Command())
	}
	s.Command = l.declared.Argv
	return findProgram(s)
}

// launch starts the session when those that it needs are ready, and waits until it is ready.
func (l *launching) launch(ctx context.Context, cmd *cli.Command) {
	defer close(l.settled)
	for _, before := range l.after {
		if <-before.settled; before.err != nil {
			l.err = &startError{fmt.Errorf("session %q is not started: session %q is not ready", l.name, before.name)}
			return
		}
	}
	err := l.readDeclared(cmd)
	var client *runner.Client
	created := false
	if err == nil {
		client, created, err = l.start(ctx, nil)
	}
	if err != nil {
		l.err = l.named(err)
		return
	}
	if !created {
		l.adviseKept(cmd, client.Session)
	}
	begin := time.Now()
	l.ready.FromStart = true // it may have become ready long ago
	client, waited, err := l.awaitDeclared(ctx, client)
	defer func() { _ = client.Close() }()
	if l.result, l.err = l.launched(ctx, cmd, client.Dir, waited, created, time.Since(begin)); err == nil {
		return
	}
	if l.err = l.named(err); errors.Is(err, context.Canceled) {
		l.err = &interruptedError{fmt.Sprintf("session %q goes on: the wait for it was interrupted", l.name)}
	}
}

// named returns err with the name of the session in front.
func (l *launching) named(err error) error {
	name := fmt.Sprintf("session %q", l.name)
	if strings.HasPrefix(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// awaitDeclared waits until the session is ready. If it fails before and its holder starts it again, the wait goes on with
// the next session, whose connection it returns.
func (l *launching) awaitDeclared(ctx context.Context, client *runner.Client) (*runner.Client, runner.Waited, error) {
	begun, limit := time.Now(), l.ready.Timeout
	for {
		waited, err := l.awaitReady(ctx, client)
		if err != nil || !waited.Ended || !l.declared.Restart {
			waited.Session.Name = cmp.Or(waited.Session.Name, l.name)
			return client, waited, err
		}
		var next *runner.Client
		for held := true; next == nil; {
			if waited.TimedOut = limit > 0 && time.Since(begun) > limit; waited.TimedOut || !held {
				waited.Ended = !waited.TimedOut
				return client, waited, nil
			}
			select {
			case <-time.After(absentPace): // nobody tells this process that the next session starts
			case <-ctx.Done():
				return client, waited, ctx.Err()
			}
			held = client.Dir.Held(waited.Session.ID) // as long as the next one has not started
			if next, err = runner.DialLiving(ctx, client.Dir, l.name); err != nil {
				return client, waited, err
			}
			if later, ok := runner.RestartedAs(client.Dir, waited.Session); ok { // it may have failed as well by now
				waited.Session, held = later, true
			}
		}
		_ = client.Close()
		if client = next; limit > 0 {
			l.ready.Timeout = max(time.Millisecond, limit-time.Since(begun))
		}
	}
}

// showLaunches prints the sessions in their order, each when it is ready, or with --json all when they are settled. The exit
// code is that of the first one that is not ready.
func showLaunches(ctx context.Context, cmd *cli.Command, list []*launching) error {
	listing := launchListing{Launched: []launchResult{}, Errors: []errorDetail{}}
	code := 0
	var names []string
	for _, l := range list {
		<-l.settled
		names = append(names, l.name)
		if l.result.Name != "" {
			listing.Launched = append(listing.Launched, l.result)
		}
		listing.Errors = append(listing.Errors, errorDetails(l.err)...)
		switch {
		case l.err != nil && cmd.Bool("json"):
			code = cmp.Or(code, newErrorDetail(cmd.Name, l.err).Code)
		case l.err != nil:
			code = cmp.Or(code, report(cmd.Root().ErrWriter, cmd.Name, l.err, nil))
		case cmd.Bool("json"):
		default:
			if err := show(cmd, l.result, launchText); err != nil {
				return err
			}
			l.result.say(cmd, fmt.Sprintf("session %q", l.name))
		}
	}
	if cmd.Bool("json") {
		if err := printJSON(cmd, listing); err != nil {
			return err
		}
	} else if path, err := stateFolder(cmd); err == nil {
		if dir, err := ledger.Open(path); err == nil {
			remind(ctx, cmd, dir, names...)
		}
	}
	if code != 0 {
		return exitCode(code)
	}
	return nil
}
