package commands

import (
	"context"
	"errors"
	"os"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/guard/isolation"
	"devtools/runner/wire"
)

// defaultSession is the name of the session that run --in starts if it does not run: a shell of the user.
const defaultSession = "default"

// dialIn connects to the session of run --in. It starts the session default if none runs, and says so: an earlier one had
// variables and a directory that this one has not. Before, it calls starts, of which an error ends it.
func dialIn(ctx context.Context, cmd *cli.Command, name string, signals chan os.Signal, starts func(launchRequest) error) (dir ledger.Dir, client *runner.Client, created bool, err error) {
	if dir, err = openState(cmd, name); err == nil {
		client, err = runner.DialShell(dir, name)
	}
	absent := errors.Is(err, errNoState) || errors.Is(err, ledger.ErrNoSession) || errors.Is(err, wire.ErrEnded) || errors.Is(err, wire.ErrHolderGone)
	if name != defaultSession || !absent {
		return dir, client, false, err
	}
	req, err := newDefaultRequest(cmd)
	if err != nil {
		return dir, nil, false, err
	}
	if err = starts(req); err != nil {
		return dir, nil, false, err
	}
	if client, created, err = req.start(ctx, signals); err != nil {
		return dir, nil, false, err
	}
	if created && !cmd.Bool("json") {
		message(cmd.Root().ErrWriter, "session %q is new: %s", name, client.Session.Command[0])
	}
	return client.Dir, client, created, nil
}

// newDefaultRequest returns the request for the session default, as launch --if-absent makes it. The variables and the
// directory on the command line are for one command only.
func newDefaultRequest(cmd *cli.Command) (req launchRequest, err error) {
	if err := roomFor("launch", true); err != nil {
		return req, err
	}
	req.ifAbsent, req.name = true, defaultSession
	s := &req.spec
	s.Size, s.Shell = ledger.Size{Cols: 80, Rows: 24}, true
	s.Leftovers, s.Grace = wire.LeftoversReport, runGrace
	if s.KillAfter, err = duration(cmd, "kill-after"); err != nil {
		return req, err
	}
	if err := readMaxSessions(cmd, s); err != nil {
		return req, err
	}
	if s.Cwd, err = workingDirectory(""); err != nil {
		return req, &startError{err}
	}
	if err := readSpec(cmd, s); err != nil {
		return req, err
	}
	s.Name = defaultSession // readSpec has set that of the flag
	if s.Env, err = environment(cmd, s, isolation.LevelOf(s.Isolation), nil, nil); err != nil {
		return req, err
	}
	s.Command = []string{runner.UserShell()}
	if shell, _, _ := wire.ShellOf(s.Command); shell == "" {
		s.Command = []string{"/bin/sh"} // run --in cannot use the user's own, such as nologin
	}
	return req, findProgram(s)
}

// session returns the session that the request starts, as far as it is known before.
func (req launchRequest) session() ledger.Session {
	return ledger.Session{Name: req.name, Command: req.spec.Command, Cwd: req.spec.Cwd}
}
