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
	policyVerdict
	Reader   string                `json:"reader,omitzero"` // with --in: the program that reads the text so; of several, that of the strictest verdict
	Commands []policyCommandResult `json:"checked"`         // what the command line would start, in its order; at most 100
}

// A policyVerdict is what a policy says.
type policyVerdict struct {
	Action    string `json:"action"`             // what the policy says: free, allow, confirm or deny
	Rule      string `json:"ruleName,omitzero"`  // name of the rule that decided; absent if none did
	Reason    string `json:"reason,omitzero"`    // why: the rule's own reason, or what could not be known
	File      string `json:"file,omitzero"`      // policy file of the rule; "built-in rules" for the rules of devtools
	Line      int    `json:"line,omitzero"`      // line of the rule in that file; absent for the built-in rules
	Matched   string `json:"matched,omitzero"`   // the command that the rule matched
	Untrusted bool   `json:"untrusted,omitzero"` // the policy of the workspace allows it, but nobody has trusted it
}

// A policyCommandResult is a command that a command line would start.
type policyCommandResult struct {
	Command string `json:"commandLine"`  // the command as a line: the program and its words
	Via     string `json:"via,omitzero"` // what starts it, from the outside in; absent for the line itself
	Known   bool   `json:"known"`        // the program is known before it starts
	policyVerdict
}

func newPolicyVerdict(v guard.Verdict) policyVerdict {
	return policyVerdict{
		Action: v.Action.String(), Rule: v.Rule, Reason: v.Reason, File: v.File, Line: lineOf(v), Matched: v.Command, Untrusted: v.Untrusted,
	}
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
	var verdict guard.Verdict
	var commands []guard.Command
	var reader string
	for i, one := range calls {
		one.Workspace, one.Shared = judgedWorkspace(path)
		if v, list := rules.Explain(one); i == 0 || v.Action > verdict.Action {
			verdict, commands, reader = v, list, one.Shell
		}
	}
	result := policyCheckResult{Call: call.Kind, policyVerdict: newPolicyVerdict(verdict), Reader: reader, Commands: []policyCommandResult{}}
	for _, c := range commands {
		result.Commands = append(result.Commands, policyCommandResult{c.Text, c.Via, c.Known, newPolicyVerdict(c.Verdict)})
	}
	if err := show(cmd, result, checkText); err != nil {
		return err
	}
	if verdict.Action >= guard.Confirm {
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
	r := readersOf(record)
	c.Moved = r.moved()
	keys := wire.Keys{Form: wire.Literal, Args: []string{c.Line}}
	if c.Kind == guard.KindAnswer {
		return answerCalls([]runner.Answer{{Text: c.Line}}, r.programs), nil
	}
	before, err := runner.HalfLine(context.Background(), dir, record)
	return r.calls(c, r.texts(before, keys)), err
}

// checkText prints the verdict, and a row for each command.
func checkText(w io.Writer, r policyCheckResult) error {
	text := oneLine(r.policyVerdict.text())
	if r.Reader != "" {
		text += "\nas read by " + oneLine(r.Reader)
	}
	if _, err := fmt.Fprintln(w, text); err != nil || len(r.Commands) == 0 {
		return err
	}
	rows := [][]string{{"VERDICT", "RULE", "VIA", "COMMAND"}}
	for _, c := range r.Commands {
		command := shortCommand(oneLine(c.Command))
		if !c.Known {
			command += " (not known)"
		}
		rows = append(rows, []string{c.Action, oneLine(c.Rule), oneLine(c.Via), command})
	}
	return writeColumns(w, rows)
}

// text returns the verdict as one line.
func (v policyVerdict) text() string {
	if v.Action == guard.Free.String() {
		return v.Action + ": no rule says anything"
	}
	text := v.Action + ": " + verdictText(guard.Verdict{Rule: v.Rule, Reason: v.Reason, File: v.File, Line: v.Line})
	if v.Untrusted {
		text += "; the policy of the workspace allows it, but nobody has trusted it: devtools policy trust"
	}
	return text
}
