package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/census"
	"devtools/runner/guard"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

func killCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME|PID…",
		Description: `Ends each session NAME, or the process PID of a session, with all that it has
started: with TERM, and KILL 5s later. It returns when they are gone, and never
touches what no session has started. A signal, as -HUP or -s HUP, is sent alone,
to the main process or PID, and kill returns at once. With --wait CONDITION, it
returns when that is true; text counts from the signal on. -9 ends all at once.

EXAMPLES:
  devtools kill web
  devtools kill -HUP web --wait 'text:config reloaded'
  devtools kill --label app=shop`,
		CustomHelpTemplate: `SESSIONS: label all | t everywhere yes
SIGNAL: signal kill-after group tree | wait timeout fail`,
		Flags: []cli.Flag{
			targetFlag(),
			labelFlag("end each running session"),
			&cli.BoolFlag{Name: "all", Usage: "end all running sessions"},
			&cli.BoolFlag{Name: "everywhere", Usage: "with --all: end those of all your workspaces"},
			&cli.StringFlag{Name: "signal", Aliases: []string{"s"}, Usage: "send `SIGNAL` alone, or first with --kill-after", DefaultText: "TERM, then KILL"},
			yesFlag(),
			&cli.BoolFlag{Name: "group", Usage: "signal the foreground process group, as a key does"},
			&cli.BoolFlag{Name: "tree", Usage: "signal each process of the session"},
			&cli.StringFlag{Name: "kill-after", Aliases: []string{"k"}, Usage: "send KILL `DURATION` after the first signal", DefaultText: "5s"},
			&cli.StringSliceFlag{Name: "wait", Usage: "after the signal, wait until `CONDITION` is true"},
			failFlag(),
			&cli.StringFlag{Name: "timeout", Usage: "give up after `DURATION`; 0: never", Value: "30s"}, // -T begins signals, as -TERM
		},
		ArgValidator: arguments(0, 1<<20, "the name of a session or a pid"),
		Action:       kill,
	}
}

// killRules are the rules about the flags of kill.
var killRules = []flagRule{
	{flags: []string{"group", "tree"}, needs: []string{"signal"}},
	{flags: []string{"group", "tree"}, without: []string{"kill-after"}, reason: "--kill-after ends the whole tree"},
	{flags: []string{"group"}, without: []string{"tree"}},
	{flags: []string{"fail", "timeout"}, needs: []string{"wait"}},
	{flags: []string{"wait"}, needs: []string{"signal"}},
	{flags: []string{"everywhere"}, needs: []string{"all"}},
	{flags: []string{"everywhere"}, without: []string{"label", "signal"}},
	{flags: []string{"everywhere"}, needs: []string{"yes"}, reason: "it ends what others have started, too; devtools ps --everywhere lists it"},
	{flags: []string{"wait"}, without: []string{"kill-after", "all", "label"}, reason: "it is about a signal alone, to one session"},
}

// A killRequest is the meaning of the flags of kill.
type killRequest struct {
	signal string
	grace  time.Duration // time until KILL
	alone  bool          // nothing follows the signal
	reach  runner.Reach  // who gets a signal alone
	wait   *runner.Wait  // what to wait for after a signal alone, or nil
}

func newKillRequest(cmd *cli.Command) (req killRequest, err error) {
	if err := checkFlags(cmd, killRules); err != nil {
		return req, err
	}
	req = killRequest{signal: "TERM", grace: 5 * time.Second, alone: cmd.IsSet("signal") && !cmd.IsSet("kill-after")}
	switch {
	case cmd.Bool("group"):
		req.reach = runner.ReachGroup
	case cmd.Bool("tree"):
		req.reach = runner.ReachTree
	}
	if cmd.IsSet("signal") {
		req.signal = cmd.String("signal")
		sig, err := proc.ParseSignal(req.signal)
		if err != nil && req.signal == "0" {
			return req, &usageError{message: "--signal: " + err.Error(), hint: "devtools ps NAME tells whether a session runs"}
		}
		if err != nil {
			return req, badSignal("--signal", req.signal, err)
		}
		if sig == syscall.SIGKILL && req.reach != runner.ReachGroup { // it ends the main process, and the session with it
			req.alone = false
		}
	}
	if cmd.IsSet("kill-after") {
		req.grace, err = duration(cmd, "kill-after")
	}
	if err == nil && cmd.IsSet("wait") {
		req.wait, err = waitAfterSignal(cmd, req)
	}
	return req, err
}

func kill(ctx context.Context, cmd *cli.Command) error {
	req, err := newKillRequest(cmd)
	if err != nil {
		return err
	}
	dir, targets, chosen, missing := killTargets(cmd)
	if missing != nil && !errors.Is(missing, errNoState) { // without a state folder, its sessions may live all the same
		return missing
	}
	silent := 0
	if cmd.Bool("everywhere") {
		if profile, err := profileOf(cmd); err != nil || profile == profileAgent {
			return cmp.Or(err, error(&policyError{kind: unconfirmed, message: "kill: --everywhere ends what others have started, too: for an agent --yes does not count", hint: "ask a person, who types it at a terminal"}))
		}
		found, n := census.Everywhere(ctx)
		silent, targets, chosen = n, idsOf(chosen), nil
		for _, f := range found {
			targets = append(targets, f.ID)
		}
	}
	targets = onceEach(targets)
	if len(targets)+len(chosen) > 0 {
		err := judge(cmd, dir.Path(), func() []guard.Call { return []guard.Call{{Kind: guard.KindKill}} })
		if err != nil {
			return err
		}
	}
	if req.wait != nil {
		return killAndWait(ctx, cmd, dir, targets, req)
	}
	var ending runner.KillResult
	switch {
	case req.alone:
		ending, err = runner.Signal(ctx, dir, append(targets, idsOf(chosen)...), req.signal, req.reach)
	case len(targets) > 0:
		ending, err = runner.Kill(ctx, dir, targets, req.signal, req.grace)
	default:
		ending, err = runner.KillListed(ctx, dir, chosen, req.signal, req.grace)
	}
	nothing := len(ending.Killed)+len(ending.Signalled)+len(ending.Failed) == 0
	if missing != nil && nothing && errors.Is(err, ledger.ErrNoSession) {
		return missing
	}
	if cmd.Bool("all") && (errors.Is(err, wire.ErrEnded) || errors.Is(err, ledger.ErrNoSession)) {
		err = nil // the session has ended in the meantime
	}
	if silent > 0 {
		err = errors.Join(err, fmt.Errorf("%d %s not answer, and %s not ended", silent, plural(silent, "holder does", "holders do"), plural(silent, "was", "were")))
	}
	if err != nil && nothing {
		return err
	}
	about := append(targets, idsOf(chosen)...)
	if err := showEnding(cmd, ending, err, about); err != nil {
		return err
	}
	remind(ctx, cmd, dir, about...)
	return nil
}

// onceEach returns the words without those that came before.
func onceEach(words []string) (list []string) {
	for _, word := range words {
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}

// killTargets returns the sessions and pids to end that are named, or the sessions that --all or --label chooses.
func killTargets(cmd *cli.Command) (dir ledger.Dir, targets []string, chosen []ledger.Session, err error) {
	targets = cmd.Args().Slice()
	if name := cmd.String("t"); name != "" {
		targets = append([]string{name}, targets...)
	}
	if i := slices.IndexFunc(targets, func(name string) bool { return strings.HasPrefix(name, "-") }); i >= 0 {
		// such as -9x: a mistyped signal must not end the sessions beside it
		return dir, nil, nil, usagef("kill: %q is no signal, and no name or pid begins with -", targets[i])
	}
	chooses := cmd.Bool("all") || len(cmd.StringSlice("label")) > 0
	switch {
	case chooses && len(targets) > 0:
		return dir, nil, nil, usagef("kill: %q cannot be used with --label or --all: they choose the sessions", targets[0])
	case !chooses && len(targets) == 0:
		return dir, nil, nil, usagef("kill: the name of a session or a pid is missing")
	case !cmd.Bool("all") && chooses:
		dir, chosen, err = chosenSessions(cmd, false)
		return dir, nil, chosen, err
	case !chooses:
		if dir, err = openState(cmd, targets[0]); errors.Is(err, errNoState) {
			path, pathErr := stateFolder(cmd)
			return ledger.At(path), targets, nil, errors.Join(pathErr, err)
		}
		return dir, targets, nil, err
	}
	path, err := stateFolder(cmd)
	if err != nil {
		return dir, nil, nil, err
	}
	if dir, err = openFolder(cmd, path); isMissing(err) {
		return ledger.At(path), nil, nil, nil // nothing was ever started here
	}
	if err != nil {
		return dir, nil, nil, err
	}
	wanted, err := labels(cmd)
	if err != nil {
		return dir, nil, nil, err
	}
	chosen, err = runningSessions(dir, wanted)
	return dir, nil, chosen, err
}
