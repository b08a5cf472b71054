package commands

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/attach"
	"devtools/runner/condition"
	"devtools/runner/wire"
)

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
	hints     []string       // what to tell about the start
}

// launchRules are the rules about the flags of launch.
var launchRules = []flagRule{
	{flags: []string{"fail", "all", "timeout", "screen"}, needs: []string{"ready", "stack"}},
	{flags: []string{"screen"}, without: []string{"attach", "A"}, reason: "a person who is attached sees the screen"},
	{flags: []string{"replace"}, without: []string{"if-absent", "A"}, reason: "one ends the running session, the other uses it"},
	{flags: []string{"attach", "A", "size", "scrollback", "screen"}, without: []string{"no-pty"}, reason: "without a terminal there is no screen"},
	{flags: []string{"read-only", "detach-keys", "copy-keys"}, needs: []string{"attach", "A"}},
}

// newLaunchRequest parses the command line and finds the program.
func newLaunchRequest(ctx context.Context, cmd *cli.Command) (req launchRequest, err error) {
	if req.ready, err = readWait(cmd, "ready"); err != nil {
		return req, err
	}
	if err := checkFlags(cmd, launchRules); err != nil {
		return req, err
	}
	if cmd.Bool("no-pty") && slices.ContainsFunc(slices.Concat(req.ready.Until, req.ready.Fail), isPrompt) {
		return req, usagef("launch: the condition prompt cannot be used with --no-pty: only a terminal shows a prompt")
	}
	req.replace, req.ifAbsent = cmd.Bool("replace"), cmd.Bool("if-absent") || cmd.Bool("A")
	if req.killAfter, err = duration(cmd, "kill-after"); err != nil {
		return req, err
	}
	if err := req.readAttach(cmd); err != nil {
		return req, err
	}
	if err := req.readSize(cmd); err != nil {
		return req, err
	}
	if err := req.readLife(cmd); err != nil {
		return req, err
	}
	return req, req.readProgram(ctx, cmd)
}

func isPrompt(c condition.Condition) bool { return c.Kind == condition.UntilPrompt }

// readLife reads the flags about the life of the session: its labels, when it may start, and what ends it.
func (req *launchRequest) readLife(cmd *cli.Command) (err error) {
	s := &req.spec
	if err := readLifeFlags(cmd, s); err != nil {
		return err
	}
	if err := readMaxSessions(cmd, s); err != nil {
		return err
	}
	s.KillAfter = req.killAfter
	if s.Labels, err = labels(cmd); err != nil {
		return err
	}
	s.Shell = true
	if s.Leftovers, err = choice(cmd, "leftovers"); s.Leftovers == wire.LeftoversReport {
		s.Grace = runGrace
	}
	return err
}

// runGrace is the grace: for this time, processes that outlive the program of a session belong to its end.
const runGrace = 3 * time.Second

// readProgram reads which program to start. Without a command it is the shell of --shell, or the user's.
func (req *launchRequest) readProgram(ctx context.Context, cmd *cli.Command) (err error) {
	args, shell := cmd.Args().Slice(), cmd.String("shell")
	switch {
	case cmd.IsSet("stack"):
		if args, err = req.useStack(ctx, cmd); err != nil {
			return err
		}
	case len(args) == 0:
		args, shell = []string{cmp.Or(shell, runner.UserShell())}, ""
	}
	if err := readSpec(cmd, &req.spec); err != nil {
		return err
	}
	if chosen := cmd.IsSet("stack") || cmd.IsSet("shell"); cmd.Args().Len() == 0 && !chosen && isDeclared(ledger.At(req.spec.Dir), req.spec.Name) {
		return &usageError{
			message: fmt.Sprintf("launch: sessions.toml declares the session %q: a shell would take its place", req.spec.Name),
			hint:    "devtools launch --all starts the declared sessions that do not run; --shell SHELL starts a shell",
		}
	}
	if err := readOnExit(cmd, &req.spec); err != nil {
		return err
	}
	if err := readCommand(cmd, &req.spec, shell, args); err != nil {
		return err
	}
	req.name = wire.NameOf(req.spec)
	return nil
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
		return nil
	}
	if _, _, ok := person(cmd); !ok {
		return fmt.Errorf("launch: %w", attach.ErrNotAttachable)
	}
	opts, err := newAttachOptions(cmd)
	req.attach = &opts
	return err
}

// readSize sets the size of the terminal and of its scrollback, or that there are pipes in its place.
func (req *launchRequest) readSize(cmd *cli.Command) (err error) {
	s := &req.spec
	if s.NoTerminal, s.InputPipe = cmd.Bool("no-pty"), cmd.Bool("no-pty"); s.NoTerminal {
		return nil
	}
	if s.Scrollback, err = readScrollback(cmd); err != nil {
		return err
	}
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
