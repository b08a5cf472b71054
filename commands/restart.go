package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/guard"
	"devtools/runner/guard/isolation"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

func restartCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME",
		Description: `Ends the session NAME as kill does, and starts its command again under the same
name: with its folder, environment, limits, labels and size. If it cannot be
ended, nothing is started. A session of watch is started again by its watch. A
session that has ended cannot be started again.

EXAMPLES:
  devtools restart web
  devtools restart web --ready port:3000 --timeout 1m

EXIT CODE: 0; 1 ended before it was ready, 122 --fail, 124 timeout, 125 not
  started`,
		CustomHelpTemplate: `OPTIONS: ready timeout kill-after | t all fail yes`,
		Flags: slices.Concat([]cli.Flag{
			targetFlag(),
			&cli.StringSliceFlag{Name: "ready", Usage: "return when any `CONDITION` is true"},
		}, conditionFlags(), []cli.Flag{
			conditionTimeout("wait `DURATION` for --ready or watch; 0: no limit", "30s"),
			&cli.StringFlag{Name: "kill-after", Aliases: []string{"k"}, Usage: "send KILL `DURATION` after TERM", Value: "5s"},
			yesFlag(),
		}),
		ArgValidator: oneSession,
		Action:       restart,
	}
}

// restartRules are the rules about the flags of restart.
var restartRules = []flagRule{{flags: []string{"fail", "all"}, needs: []string{"ready"}}}

func restart(ctx context.Context, cmd *cli.Command) (err error) {
	if err := errors.Join(checkFlags(cmd, restartRules), checkFields(cmd, launchResult{})); err != nil {
		return err
	}
	var req launchRequest
	if req.ready, err = readWait(cmd, "ready"); err != nil {
		return err
	}
	if req.killAfter, err = duration(cmd, "kill-after"); err != nil {
		return err
	}
	dir, err := openState(cmd, target(cmd))
	if err != nil {
		return err
	}
	s, err := dir.Session(target(cmd))
	if err != nil {
		return err
	}
	err = judge(cmd, dir.Path(), func() []guard.Call { return restartCalls(dir, s) })
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, endSignals()...)
	defer signal.Stop(signals)
	ctx, stop := endedBySignals(ctx, signals, saysGoingOn(cmd, fmt.Sprintf("session %q is started again all the same", s.Name), devtoolsCommand(cmd)+" ps "+s.Name))
	defer stop()
	if s.Labels[wire.LabelWatch] == "" {
		s, err = req.restart(ctx, dir, s)
	} else {
		s, err = req.restartWatched(ctx, cmd, dir, s)
	}
	if err != nil {
		return err
	}
	waited, begin := runner.Waited{Session: s}, time.Now()
	if req.ready.FromStart = true; len(req.ready.Until) > 0 {
		if waited, err = runner.WaitFor(ctx, dir, s.ID, req.ready); err != nil {
			return err
		}
	}
	return req.showLaunched(ctx, cmd, dir, waited, true, time.Since(begin))
}

// restart makes the holder of the session s end it and start its command again, and returns the new session. If another call has
// done so meanwhile, that one is started again.
func (req *launchRequest) restart(ctx context.Context, dir ledger.Dir, s ledger.Session) (ledger.Session, error) {
	for {
		next, err := runner.Restart(ctx, dir, s, req.killAfter)
		switch {
		case err == nil:
			return next, nil
		case errors.Is(err, wire.ErrOlder):
			return s, &sessionError{err: &startError{err}, name: s.Name, hint: "devtools kill " + s.Name + ", then " + launchAgain(s)}
		case !errors.Is(err, wire.ErrEnded) && !errors.Is(err, wire.ErrHolderGone):
			return s, &startError{err}
		}
		later, ok := runner.RestartedAs(dir, s)
		if !ok {
			return s, forgotten(dir, s, err)
		}
		s = later
	}
}

// forgotten returns the error for a session that cannot be started again for the reason err: it has ended, or its holder is gone.
func forgotten(dir ledger.Dir, s ledger.Session, err error) error {
	switch {
	case errors.Is(err, wire.ErrSandboxEnded):
	case !errors.Is(err, wire.ErrHolderGone): // its holder says why
		err = errors.New(err.Error())
	case errors.Is(err, wire.ErrEnded):
		err = fmt.Errorf("session %q has ended, and only its holder knew the environment of its command", s.Name)
	default:
		err = fmt.Errorf("session %q: its holder is gone, and only the holder knew the environment of its command", s.Name)
	}
	hint := launchAgain(s)
	if isDeclared(dir, s.Name) {
		hint = "devtools launch --all starts it again, as sessions.toml declares it"
	}
	return &sessionError{err: err, name: s.Name, hint: hint}
}

// launchAgain returns the command line that starts the command of a session again, with the isolation and the secrets that it had.
func launchAgain(s ledger.Session) string {
	words, more := []string{"devtools launch --name", s.Name}, ""
	if s.Isolation != "" {
		words = append(words, "--isolation", s.Isolation)
	}
	if s.Isolation == isolation.High { // the record does not have them
		more = ", with its --net, --allow-write and --workspace before the --"
	}
	for _, name := range s.Secrets {
		words = append(words, "--secret", name+"=SOURCE")
	}
	return strings.Join(append(words, "--cwd", proc.Quote(s.Cwd), "--", proc.Line(s.Command)), " ") + more
}
