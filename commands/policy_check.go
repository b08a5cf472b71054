package commands

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/guard"
	"devtools/runner/wire"
	"devtools/stack/line"
)

// A policyCheckResult is the output of policy check --json.
type policyCheckResult struct {
	Call string `json:"call"` // kind of the call
	guard.Verdict
	Reader   string          `json:"reader,omitzero"` // with --in: the program that reads the text so; of several, that of the strictest verdict
	Commands []guard.Command `json:"checked"`         // what the command line would start, in its order; at most 100
}

// idle are the calls that neither start nor type anything.
var idle = []string{guard.KindKill, guard.KindKillOrphans, guard.KindAsk}

// typing are the calls that type text.
var typing = []string{guard.KindSendKeys, guard.KindAnswer, guard.KindRunIn}

// policyCheck prints what the policies say about a call.
func policyCheck(cmd *cli.Command, path string) error {
	if err := checkFields(cmd, policyCheckResult{}); err != nil {
		return err
	}
	call, err := checkedCall(cmd)
	if err != nil {
		return err
	}
	profile, err := profileOf(cmd)
	if err != nil {
		return err
	}
	rules, err := loadPolicy(path, profile)
	if err != nil {
		return err
	}
	calls, err := checkedIn(cmd, call)
	if err != nil {
		return err
	}
	if warning := rules.Warning(); warning != "" {
		note(cmd, "%s", warning)
	}
	result := policyCheckResult{Call: call.Kind, Commands: []guard.Command{}}
	for i, one := range calls {
		one.Workspace, one.Shared = judgedWorkspace(path)
		if v, list := rules.Explain(one); i == 0 || v.Action > result.Action {
			result.Verdict, result.Commands, result.Reader = v, append([]guard.Command{}, list...), one.Shell
		}
	}
	if err := show(cmd, result, checkText); err != nil {
		return err
	}
	if result.Action >= guard.Confirm {
		return exitCode(codeNotExecutable)
	}
	return nil
}

// checkedCall returns the call that check is about.
func checkedCall(cmd *cli.Command) (c guard.Call, err error) {
	if c.Kind, err = choice(cmd, "call"); err != nil {
		return c, err
	}
	if cmd.IsSet("in") && !cmd.IsSet("call") {
		c.Kind = guard.KindSendKeys
	}
	args := cmd.Args().Slice()[1:]
	switch {
	case slices.Contains(idle, c.Kind) && len(args) > 0:
		return c, usagef("policy: --call %s takes no command", c.Kind)
	case slices.Contains(idle, c.Kind):
		return c, nil
	case len(args) == 0:
		return c, usagef("policy: a command is missing: write it after check")
	}
	if c.Dir, err = workingDirectory(""); err != nil {
		return c, err
	}
	if slices.Contains(typing, c.Kind) {
		c.Line = strings.Join(args, " ")
		return c, nil
	}
	c.Env = os.Environ()
	if c.Argv, err = line.Argv(args, "", c.Dir); err != nil {
		return c, usagef("policy: %v", err)
	}
	return c, nil
}

// checkedIn returns the calls that a call is for each program of the session of --in, which may read its text, as that of a call of
// send-keys or run. Without --in it returns the call itself.
func checkedIn(cmd *cli.Command, c guard.Call) ([]guard.Call, error) {
	if !cmd.IsSet("in") {
		return []guard.Call{c}, nil
	}
	if !slices.Contains(typing, c.Kind) {
		return nil, usagef("policy: --in needs --call send-keys, run-in or answer")
	}
	name := cmd.String("in")
	dir, err := openState(cmd, name)
	if err != nil {
		return nil, err
	}
	record, living := recordOf(dir, name)
	if !living {
		if record, err = dir.Session(name); err == nil {
			err = ledger.SessionError(name, wire.Ended(record))
		}
		return nil, err
	}
	c.Dir = presentFolder(record)
	if c.Kind == guard.KindRunIn {
		return inCalls(record, c.Line, nil, wire.Spec{}), nil
	}
	r := readerOf(record)
	if c.Kind == guard.KindAnswer {
		return answerCalls([]runner.Answer{{Text: c.Line}}, r), nil
	}
	before, err := runner.HalfLine(context.Background(), dir, record)
	return r.typeCalls(c, before, wire.Keys{Form: wire.Literal, Args: []string{c.Line}}), err
}

// checkText prints the verdict, and a row for each command.
func checkText(w io.Writer, r policyCheckResult) error {
	text := oneLine(checkedText(r.Verdict))
	if r.Reader != "" {
		text += "\nas read by " + oneLine(r.Reader)
	}
	if _, err := fmt.Fprintln(w, text); err != nil || len(r.Commands) == 0 {
		return err
	}
	rows := [][]string{{"VERDICT", "RULE", "VIA", "COMMAND"}}
	for _, c := range r.Commands {
		command := shortCommand(oneLine(c.Text))
		if !c.Known {
			command += " (computed)"
		}
		if c.Code {
			command += " (code: not looked into)"
		}
		rows = append(rows, []string{c.Action.String(), oneLine(c.Rule), oneLine(c.Via), command})
	}
	return writeColumns(w, rows)
}

// checkedText returns a verdict as one line.
func checkedText(v guard.Verdict) string {
	if v.Action == guard.Free {
		return "free: no rule says anything"
	}
	v.Command = ""
	text := v.Action.String() + ": " + verdictText(v)
	if v.Untrusted {
		text += trustHint
	}
	return text
}
