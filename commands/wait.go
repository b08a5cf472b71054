package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/wire"
)

func waitCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME",
		Description: "Waits until one of the conditions is true of the session NAME:\n" +
			"text:RE          RE matches text on the screen now, or at any time since wait began\n" +
			"gone:RE          RE matches no text on the screen\n" +
			"stable:DURATION  the screen has not changed for DURATION\n" +
			"change           the screen has changed\n" +
			"exit             the command has ended\n" +
			"input            the program waits for input\n" +
			"prompt           the shell or REPL is at its prompt\n" +
			"port[:NUMBER]    the session listens on a port\n" +
			"open:NUMBER      any process listens on the port\n" +
			"http:URL         the URL answers\n" +
			"file:PATH        the file exists\n\n" +
			"The default is exit: wait then returns the exit code of the command, also long after its end. With other\n" +
			"conditions, wait fails when the session ends before.\n\n" +
			"Example: devtools wait web --until port:3000 --fail 'text:EADDRINUSE' --timeout 1m\n\n" +
			"Exit code: 0, for exit that of the command; 1 ended before, 122 --fail, 124 timed out.",
		Flags: append([]cli.Flag{
			targetFlag(),
			labelFlag("wait for each running session"),
			&cli.StringSliceFlag{Name: "until", Aliases: []string{"u"}, Usage: "wait for `CONDITION`; of several, for any", DefaultText: "exit"},
		}, append(conditionFlags(), conditionTimeout("give up after `DURATION`; 0: never", "30s"))...),
		ArgValidator:  namedOrLabelled,
		ShellComplete: completeSessions,
		Action:        wait,
	}
}

// conditionFlags returns the flags of commands that wait for conditions, except for the flags with the conditions.
func conditionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "all", Usage: "wait until every condition has been true"},
		&cli.StringSliceFlag{Name: "fail", Usage: "give up when `CONDITION` is true"},
	}
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
	w.Fail, err = conditions(cmd, "fail")
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
			return nil, usagef("--%s: %v", name, err)
		}
		list = append(list, c)
	}
	return list, nil
}

// A waitResult is the output of wait --json.
type waitResult struct {
	Name          string   `json:"name"`               // name of the session
	SessionID     string   `json:"sessionId"`          // id of the session
	Met           []string `json:"met"`                // conditions that came true
	Match         string   `json:"match,omitzero"`     // text that matched
	FailCondition string   `json:"failCondition"`      // condition of --fail that came true; "" if none did
	Ended         bool     `json:"ended"`              // the program ended before the conditions came true
	TimedOut      bool     `json:"timedOut"`           // the time was over before the conditions came true
	Notes         []string `json:"notes"`              // why conditions have not come true
	ExitCode      *int     `json:"exitCode,omitempty"` // exit code of the main process, when it has ended
	Signal        string   `json:"signal,omitzero"`    // signal that ended the main process, such as SIGTERM
	WaitedMs      int64    `json:"waitedMs"`           // duration of the wait
	inputResult            // known if the wait was for input, or when the time was over
}

// A waitListing is the output of wait --label --json.
type waitListing struct {
	Results []waitResult `json:"results"` // one for each session
}

func newWaitResult(w runner.Waited, waited time.Duration) waitResult {
	return waitResult{
		Name: w.Session.Name, SessionID: w.Session.ID, Met: append([]string{}, w.Met...), Match: w.Match,
		FailCondition: w.Failed, Ended: w.Ended, TimedOut: w.TimedOut, Notes: append([]string{}, w.Notes...),
		ExitCode: w.Session.ExitCode, Signal: w.Session.Signal, WaitedMs: waited.Milliseconds(),
		inputResult: newInputResult(w.Input),
	}
}

// errUnmet reports a program that ended before the conditions came true. errFailed reports a condition of --fail that
// came true.
var (
	errUnmet  = errors.New("ended before")
	errFailed = errors.New("--fail")
)

// waitFault returns the error of a wait, or nil if the conditions came true.
func waitFault(w runner.Waited, what runner.Wait) error {
	why := ""
	notes := w.Notes
	switch reason := w.Input.Reason; {
	case !w.TimedOut:
	case w.Input.Waiting != nil:
		notes = append(slices.Clip(notes), waitingText(*w.Input.Waiting))
	case w.Input.AcceptsInput:
		notes = append(slices.Clip(notes), "the program reads its terminal, but does not wait for it")
	case reason != "" && slices.ContainsFunc(what.Until, func(c condition.Condition) bool { return c.String() == "input" }):
		notes = append(slices.Clip(notes), "the program does not wait for input: "+reason)
	}
	if len(notes) > 0 {
		why = " (" + strings.Join(notes, "; ") + ")"
	}
	wanted := unmet(w, what)
	missing := strings.Join(wanted, ", ")
	var err error
	switch {
	case w.Failed != "":
		err = fmt.Errorf("session %q: %s is true: %w", w.Session.Name, w.Failed, errFailed)
	case w.TimedOut:
		err = fmt.Errorf("session %q still runs: %w after %v without %s%s", w.Session.Name, wire.ErrTimeout, what.Timeout, missing, why)
	case w.Ended:
		err = fmt.Errorf("session %q %w %s: %s%s", w.Session.Name, errUnmet, comesTrue(wanted), ending(w), why)
	default:
		return nil
	}
	hint := ""
	if w.Session.NoRecord && w.Session.Ended() {
		hint = unrecorded
	}
	return &sessionError{err: err, name: w.Session.Name, hint: hint}
}

// unmet returns the conditions that have not come true.
func unmet(w runner.Waited, what runner.Wait) (wanted []string) {
	for _, c := range what.Until {
		if !slices.Contains(w.Met, c.String()) {
			wanted = append(wanted, c.String())
		}
	}
	return wanted
}

// comesTrue describes what has not happened, as a part of a sentence.
func comesTrue(wanted []string) string {
	var ports []string
	for _, text := range wanted {
		kind, number, _ := strings.Cut(text, ":")
		switch {
		case kind != "port":
			return strings.Join(wanted, ", ") + " was true"
		case number == "":
			ports = append(ports, "any port")
		default:
			ports = append(ports, "port "+number)
		}
	}
	return "it listened on " + strings.Join(ports, " or ")
}

// ending says how the program of a session ended.
func ending(w runner.Waited) string {
	switch {
	case w.Session.Signal != "":
		return "by " + w.Session.Signal
	case w.Session.ExitCode != nil:
		return fmt.Sprintf("exit code %d", *w.Session.ExitCode)
	}
	return "its exit code is unknown"
}

func wait(ctx context.Context, cmd *cli.Command) error {
	what, err := readWait(cmd, "until")
	if err != nil {
		return err
	}
	var object any = waitResult{}
	if len(cmd.StringSlice("label")) > 0 {
		object = waitListing{}
	}
	if err := checkFields(cmd, object); err != nil { // before the wait, which may take long
		return err
	}
	if len(what.Until) == 0 {
		what.Until = []condition.Condition{condition.Exit()}
	}
	dir, names, err := chosenSessions(cmd)
	if err != nil {
		return err
	}
	if what.Timeout > 0 { // a stopped holder cannot watch the time limit
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, what.Timeout+timeoutSlack)
		defer cancel()
	}
	ends := make([]chan error, len(names))
	results := make([]waitResult, len(names))
	for i, name := range names {
		ends[i] = make(chan error, 1)
		go func() {
			var err error
			results[i], err = waitOne(ctx, dir, name, what)
			ends[i] <- err
		}()
	}
	if cmd.Bool("json") {
		return showWaits(cmd, ends, results)
	}
	var first error
	for i := range names {
		err := <-ends[i]
		if results[i].Name != "" {
			if err := show(cmd, results[i], waitText); err != nil {
				return err
			}
		}
		if first == nil {
			first = err
		} else if err != nil && !isA[exitCode](err) {
			note(cmd, "%v", err)
		}
	}
	return first
}

// showWaits prints as one object what came of all waits. An error that is no result of a wait is printed in its place.
func showWaits(cmd *cli.Command, ends []chan error, results []waitResult) error {
	var first, failed error
	for i := range ends {
		err := <-ends[i]
		if first == nil {
			first = err
		}
		if results[i].Name == "" && failed == nil {
			failed = err
		}
	}
	if failed != nil {
		return failed
	}
	var result any = waitListing{results}
	if len(cmd.StringSlice("label")) == 0 {
		result = results[0]
	}
	if err := printJSON(cmd, result); err != nil {
		return err
	}
	return told(cmd, first)
}

// waitText prints the session's question, if the wait was for input.
func waitText(w io.Writer, r waitResult) error {
	if r.Waiting == nil || !slices.Contains(r.Met, "input") || r.Waiting.Prompt == "" {
		return nil
	}
	_, err := fmt.Fprintln(w, r.Waiting.Prompt)
	return err
}

// waitOne waits for one session. The result has no name if there is no such session.
func waitOne(ctx context.Context, dir ledger.Dir, name string, what runner.Wait) (waitResult, error) {
	begin := time.Now()
	waited, err := runner.WaitFor(ctx, dir, name, what)
	if errors.Is(err, context.DeadlineExceeded) {
		waited.TimedOut, err = true, nil
		waited.Session.Name = cmp.Or(waited.Session.Name, name)
		waited.Notes = append(waited.Notes, "the holder of the session does not answer: it may be stopped")
	}
	if err != nil {
		return waitResult{}, err
	}
	result := newWaitResult(waited, time.Since(begin))
	return result, waitCode(waited, what)
}

// waitCode works as waitFault. In addition, its hint says how to answer a program that still waits for input, and if the
// wait was for the program's end, it returns the program's exit code.
func waitCode(w runner.Waited, what runner.Wait) error {
	if err := waitFault(w, what); err != nil {
		if about, ok := errors.AsType[*sessionError](err); ok && w.TimedOut && w.Input.Waiting != nil {
			about.hint = fmt.Sprintf("devtools screen %[1]s shows what it asks, devtools send-keys %[1]s KEYS answers", about.name)
		}
		return err
	}
	if w.Exited() && w.Session.ExitCode != nil && *w.Session.ExitCode != 0 {
		return exitCode(*w.Session.ExitCode)
	}
	return nil
}

// timeoutSlack is the time beyond the time limit that wait gives the holder, which itself watches the limit.
const timeoutSlack = 2 * time.Second
