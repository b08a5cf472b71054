package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/guard/isolation"
)

func waitCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME…",
		Description: `Waits until a condition is true of each session NAME. The default is exit.
  text:RE          the screen shows RE   exit[:CODE]    the command has ended
  gone:RE          it shows RE no more   port[:NUMBER]  the session listens
  stable:DURATION  it does not change    open:NUMBER    any process listens
  change           it has changed        http:URL       the URL answers
  input            it waits for input    file:PATH      the file exists
  prompt           the shell or REPL is at its prompt

EXAMPLES:
  devtools wait web --until port:3000 --fail 'text:EADDRINUSE' --timeout 1m
  devtools wait mirror1 mirror2 --any --until exit:0

EXIT CODE: with exit that of the command, otherwise 0; 1 ended before, 122
  --fail, 124 timeout`,
		CustomHelpTemplate: `WAITING: until timeout fail any all | new
SESSIONS: | t label`,
		Flags: append([]cli.Flag{
			targetFlag(),
			labelFlag("wait for each running session"),
			&cli.BoolFlag{Name: "any", Usage: "return with the first session for which it is true"},
			&cli.BoolFlag{Name: "new", Usage: "with text: only what is printed from now on counts"},
			&cli.StringSliceFlag{Name: "until", Aliases: []string{"u"}, Usage: "wait for any `CONDITION`", DefaultText: "exit"},
		}, append(conditionFlags(), conditionTimeout("give up after `DURATION`; 0: never", "30s"))...),
		ArgValidator: namesOrLabel,
		Action:       wait,
	}
}

// conditionFlags returns the flags of commands that wait for conditions, except for the flags with the conditions.
func conditionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "all", Usage: "wait until every condition has been true"},
		failFlag(),
	}
}

// failFlag returns the flag with the conditions that end a wait.
func failFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "fail", Usage: "give up when `CONDITION` is true"}
}

// conditionTimeout returns the flag for how long to wait for conditions. shown is its default in the help.
func conditionTimeout(usage, shown string) cli.Flag {
	return &cli.StringFlag{Name: "timeout", Aliases: []string{"T"}, Usage: usage, Value: "30s", DefaultText: shown}
}

// readWait returns what the flags say to wait for, and for how long. The conditions are in the flag with the given name.
func readWait(cmd *cli.Command, name string) (w runner.Wait, err error) {
	if w, err = readConditions(cmd, name); err == nil {
		w.Timeout, err = duration(cmd, "timeout")
	}
	return w, err
}

// readConditions returns what the flags say to wait for.
func readConditions(cmd *cli.Command, name string) (w runner.Wait, err error) {
	if w.Until, err = conditions(cmd, name); err != nil {
		return w, err
	}
	w.All = cmd.Bool("all")
	if w.Fail, err = conditions(cmd, "fail"); err == nil && len(w.Until)+len(w.Fail) > condition.Most {
		err = usagef("--%s: %d conditions: at most %d", name, len(w.Until)+len(w.Fail), condition.Most)
	}
	return w, err
}

// conditions returns the conditions in a flag.
func conditions(cmd *cli.Command, name string) (list []condition.Condition, err error) {
	texts := cmd.StringSlice(name)
	if len(texts) == 0 {
		return nil, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, noWorkingDirectory(err)
	}
	for _, text := range texts {
		c, err := condition.ParseCondition(text, dir)
		if err != nil {
			return nil, &usageError{fmt.Sprintf("--%s: %v", name, err), nearCondition(text)}
		}
		list = append(list, c)
	}
	return list, checkReachable(cmd, "--"+name, list)
}

// checkReachable returns an error for a condition that never comes true because the command line gives the command a network of its
// own. what is where the conditions stand.
func checkReachable(cmd *cli.Command, what string, list []condition.Condition) error {
	if slices.ContainsFunc(list, func(c condition.Condition) bool { return c.Kind == condition.UntilHTTP }) && checkPinned(false, what, "") != nil {
		return checkPinned(false, what, "")
	}
	at := slices.IndexFunc(list, condition.Condition.IsPort)
	if at < 0 || cmd.String("net") != isolation.NetNone {
		return nil
	}
	return &usageError{
		fmt.Sprintf("%s: %s never comes true with --net none: the command listens in a network of its own", what, list[at]),
		"text:RE waits for what it prints",
	}
}

// nearCondition returns a hint with the condition that a mistyped one may stand for, or "".
func nearCondition(text string) string {
	kind, rest, colon := strings.Cut(text, ":")
	var kinds []string
	for _, form := range condition.Conditions() {
		kinds = append(kinds, form[:strings.IndexAny(form+":", ":[")])
	}
	near := nearest(kind, kinds)
	if near == "" || slices.Contains(kinds, kind) {
		return ""
	}
	if colon {
		near += ":" + rest
	}
	if _, err := condition.ParseCondition(near, "/"); err != nil || kind == "https" { // another protocol
		return ""
	}
	return meant(near, "devtools wait --help lists the conditions")
}

// waitRules are the rules about the flags of wait.
var waitRules = []flagRule{{flags: []string{"all"}, needs: []string{"until"}}}

// wait waits for one session, or with --any, --label or several names for each of several.
func wait(ctx context.Context, cmd *cli.Command) error {
	if err := checkFlags(cmd, waitRules); err != nil {
		return err
	}
	what, err := readWait(cmd, "until")
	if err != nil {
		return err
	}
	if what.OnlyNew = cmd.Bool("new"); what.OnlyNew && !slices.ContainsFunc(slices.Concat(what.Until, what.Fail), condition.Condition.AboutText) {
		return usagef("wait: --new needs a condition text:RE: it is about text that is printed from now on")
	}
	several := cmd.Bool("any") || len(cmd.StringSlice("label")) > 0 || cmd.Args().Len() > 1
	var object any = waitResult{}
	if several {
		object = waitListing{}
	}
	if err := checkFields(cmd, object); err != nil { // before the wait, which may take long
		return err
	}
	if len(what.Until) == 0 {
		what.Until = []condition.Condition{condition.Exit()}
	}
	ctx, cancel := withTimeLimit(ctx, what)
	defer cancel()
	dir, names, err := waitTargets(cmd, what)
	if err != nil {
		return err
	}
	if several {
		return waitForSeveral(ctx, cmd, dir, names, what)
	}
	begin := time.Now()
	waited, err := answeredWait(runner.WaitFor(ctx, dir, names[0], what))
	if err != nil {
		return err
	}
	waited.Session.Name = cmp.Or(waited.Session.Name, names[0])
	if err := show(cmd, newWaitResult(waited, time.Since(begin)), waitText); err != nil {
		return err
	}
	if !waited.Ended {
		sayEndReason(cmd, waited.Session)
	}
	remind(ctx, cmd, dir, waited.Session.ID)
	return told(cmd, waitCode(waited, what))
}

// withTimeLimit returns a context that ends some time after the time limit of the wait: a stopped holder cannot watch the limit.
func withTimeLimit(ctx context.Context, what runner.Wait) (context.Context, context.CancelFunc) {
	if what.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, what.Timeout+timeoutSlack)
}

// timeoutSlack is the time beyond the time limit that wait gives the holder, which itself watches the limit.
const timeoutSlack = 2 * time.Second

// answeredWait makes a result of a wait without an answer, whose time is over.
func answeredWait(waited runner.Waited, err error) (runner.Waited, error) {
	if errors.Is(err, context.DeadlineExceeded) {
		waited.TimedOut, err = true, nil
		waited.Notes = append(slices.Clip(waited.Notes), "the holder of the session does not answer: it may be stopped")
	}
	return waited, err
}

// waitTargets returns the sessions to wait for. For the end, sessions with a label that have ended count, too.
func waitTargets(cmd *cli.Command, what runner.Wait) (dir ledger.Dir, names []string, err error) {
	if len(cmd.StringSlice("label")) > 0 {
		forEnd := !slices.ContainsFunc(what.Until, func(c condition.Condition) bool { return c.Kind != condition.UntilExit })
		dir, sessions, err := chosenSessions(cmd, forEnd)
		return dir, idsOf(sessions), err
	}
	if names = cmd.Args().Slice(); len(names) == 0 {
		names = []string{target(cmd)}
	}
	dir, err = openState(cmd, names[0])
	return dir, names, err
}

// namesOrLabel is the ArgValidator of wait: it takes names, or -t, or --label.
func namesOrLabel(ctx context.Context, cmd *cli.Command) error {
	if flag := firstGiven(cmd, []string{"t", "label"}); flag != "" {
		return noName(cmd, flag)
	}
	return arguments(1, 1<<20, "the name of a session")(ctx, cmd)
}
