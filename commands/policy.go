package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/guard"
	"devtools/runner/guard/isolation"
	"devtools/runner/track"
)

func policyCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "init|check|test|trust|allow|show [COMMAND…]",
		Description: `A policy says what devtools may run, type and end: .devtools/policies.toml, and
your own in ~/.config/devtools. The stricter one counts. init writes one with
rules and comments. check prints the verdict on COMMAND and its rule. test
tries the examples of all rules. trust accepts the allow rules of this
workspace's file until it changes. allow ID, for a person at a terminal, lets
a call that was refused be repeated once. show prints which policies count,
and to what the isolation is pinned.

EXAMPLES:
  devtools policy init
  devtools policy check -- 'cd /tmp && sudo rm -rf x'
  devtools policy check --call kill

EXIT CODE: 0; check: 126 to be confirmed or forbidden`,
		CustomHelpTemplate: `CHECK: call in profile
TRUST: remove yes`,
		Flags: []cli.Flag{
			oneOf(&cli.StringFlag{Name: "call", Usage: "check the call `KIND` of devtools", Value: guard.KindRun}, guard.Kinds()...),
			oneOf(&cli.StringFlag{Name: "profile", Usage: "check as for settings `NAME`; agent: the built-in rules hold"}, profileAgent),
			&cli.StringFlag{Name: "in", Aliases: []string{"t"}, Usage: "check text that is typed into the session `NAME`"},
			&cli.BoolFlag{Name: "remove", Usage: "trust the file of this workspace no longer"},
			&cli.BoolFlag{Name: "yes", Usage: "trust it without a question"},
		},
		ArgValidator: policyArguments,
		Action:       policy,
	}
}

// actionOf returns the action of policy with which a flag has a meaning.
func actionOf(flag string) string {
	if flag == "call" || flag == "in" || flag == "profile" {
		return "check"
	}
	return "trust"
}

// policyArguments is the ArgValidator of policy.
func policyArguments(_ context.Context, cmd *cli.Command) error {
	action := cmd.Args().First()
	switch action {
	case "init", "check", "test", "trust", "allow", "show":
	case "":
		return usagef("policy: init, check, test, trust, allow or show is missing")
	default:
		return notOneOf("policy: invalid action", action, []string{"init", "check", "test", "trust", "allow", "show"})
	}
	for _, flag := range []string{"call", "in", "profile", "remove", "yes"} {
		if cmd.IsSet(flag) && action != actionOf(flag) && (flag != "profile" || action != "show") {
			return usagef("policy: --%s cannot be used with %s, only with %s", flag, action, actionOf(flag))
		}
	}
	if action == "allow" && cmd.Args().Len() != 2 {
		return usagef("policy: allow takes one ID, which the refused call has printed")
	}
	if other := cmd.Args().Get(1); cmd.Args().Len() > 1 && action != "check" && action != "allow" {
		return usagef("policy: %s takes no argument %q", action, other)
	}
	return nil
}

func policy(_ context.Context, cmd *cli.Command) error {
	path, err := stateFolder(cmd)
	if err != nil {
		return err
	}
	switch cmd.Args().First() {
	case "init":
		return policyInit(cmd, path)
	case "test":
		return policyTest(cmd, path)
	case "show":
		return policyShow(cmd, path)
	case "trust":
		return policyTrust(cmd, path)
	case "allow":
		return policyAllow(cmd)
	}
	return policyCheck(cmd, path)
}

// A policyFileResult is the output of policy init --json.
type policyFileResult struct {
	File string `json:"file"` // path of the new file
}

// policyInit writes a policy with the built-in rules into the state folder at path.
func policyInit(cmd *cli.Command, path string) error {
	if err := checkFields(cmd, policyFileResult{}); err != nil {
		return err
	}
	dir, err := ledger.Create(path)
	if err != nil {
		return err
	}
	file, err := dir.NewPolicy(guard.Template())
	if errors.Is(err, fs.ErrExist) {
		return &hintedError{fmt.Errorf("policy: there is one already: %s", file), "change that file, or remove it first"}
	}
	if err != nil {
		return err
	}
	return show(cmd, policyFileResult{file}, func(w io.Writer, r policyFileResult) error {
		_, err := fmt.Fprintln(w, r.File)
		return err
	})
}

// A policyTestResult is the output of policy test --json.
type policyTestResult struct {
	Tested int `json:"tested"` // examples of rules, all of which hold
}

// policyTest judges the examples of the rules that hold here, or of the built-in ones where there are none. A file of which one does not hold has a mistake.
func policyTest(cmd *cli.Command, path string) error {
	if err := checkFields(cmd, policyTestResult{}); err != nil {
		return err
	}
	rules, err := loadPolicy(path, "")
	if rules == nil && err == nil {
		rules, err = loadPolicy(path, profileAgent)
	}
	if err != nil {
		return err
	}
	tested, err := rules.TestExamples()
	if err != nil {
		return badPolicy(err)
	}
	return show(cmd, policyTestResult{tested}, func(w io.Writer, r policyTestResult) error {
		_, err := fmt.Fprintf(w, "%d examples hold\n", r.Tested)
		return err
	})
}

// A policyTrustResult is the output of policy trust --json.
type policyTrustResult struct {
	File    string            `json:"file"`    // policy of the workspace
	Trusted bool              `json:"trusted"` // what it allows counts now
	Changed bool              `json:"changed"` // that was different before
	Allows  []policyAllowance `json:"allows"`  // what it allows, in the order of the file; empty with --remove
}

// A policyAllowance is a rule that allows something.
type policyAllowance struct {
	Rule string `json:"ruleName"` // name of the rule, or pty.launch and the like
	Line int    `json:"line"`     // its line in the file

	Calls      []string `json:"calls"`      // kinds of calls that it is about; empty for all
	Conditions []string `json:"conditions"` // what else a command must fulfil, as in the file; empty if it allows every command
}

// text returns what is allowed: the conditions that count, not only the name, which the author of the file has chosen.
func (a policyAllowance) text() string {
	what := append([]string{}, a.Conditions...)
	if len(what) == 0 {
		what = append(what, "everything")
	}
	if len(a.Calls) > 0 {
		what = append(what, "in the calls "+strings.Join(a.Calls, ", "))
	}
	return fmt.Sprintf("%q (line %d): %s", a.Rule, a.Line, strings.Join(what, "; "))
}

// trustError returns the error for a policy, or for the file of those that the user trusts, that cannot be read.
func trustError(err error) error {
	if errors.Is(err, guard.ErrNoHome) {
		return &hintedError{errors.New("policy: " + err.Error()), "set HOME or XDG_CONFIG_HOME"}
	}
	return badPolicy(err)
}

// policyTrust records, or forgets, that the user trusts the policy in the state folder at path.
func policyTrust(cmd *cli.Command, path string) error {
	if err := checkFields(cmd, policyTrustResult{}); err != nil {
		return err
	}
	file := ledger.PolicyFile(path)
	if cmd.Bool("remove") {
		was, err := guard.Distrust(guard.UserFile(), file)
		if err != nil {
			return trustError(err)
		}
		return show(cmd, policyTrustResult{File: file, Changed: was, Allows: []policyAllowance{}}, func(w io.Writer, r policyTrustResult) error {
			text := "was not trusted: "
			if r.Changed {
				text = "no longer trusted: "
			}
			_, err := fmt.Fprintln(w, text+oneLine(r.File))
			return err
		})
	}
	review, err := guard.Inspect(guard.UserFile(), file)
	if errors.Is(err, fs.ErrNotExist) {
		return &hintedError{fmt.Errorf("policy: there is no %s", file), "devtools policy init writes one"}
	}
	if err != nil {
		return trustError(err)
	}
	result := policyTrustResult{File: review.File, Trusted: review.Trusted, Allows: []policyAllowance{}}
	for _, a := range review.Allows {
		result.Allows = append(result.Allows, policyAllowance{a.Name, a.Line, append([]string{}, a.Calls...), append([]string{}, a.Conditions...)})
	}
	if !review.Trusted && len(review.Allows) > 0 {
		if err := confirmTrust(cmd, result); err != nil {
			return err
		}
		if err := review.Trust(); err != nil {
			return err
		}
		result.Trusted, result.Changed = true, true
	}
	return show(cmd, result, trustText)
}

// confirmTrust has a person confirm that the policy is to be trusted.
func confirmTrust(cmd *cli.Command, r policyTrustResult) error {
	profile, err := profileOf(cmd)
	if err != nil {
		return err
	}
	c := confirmation{agent: profile == profileAgent}
	c.about = []string{fmt.Sprintf("trust %s, which allows", r.File)}
	for _, a := range r.Allows {
		c.about = append(c.about, a.text())
	}
	_, err = c.ask(cmd)
	return err
}

// trustText prints whether the policy of the workspace is trusted, and what it allows.
func trustText(w io.Writer, r policyTrustResult) error {
	text := "trusted: "
	if !r.Trusted {
		text = "it allows nothing, so there is nothing to trust: "
	}
	if _, err := fmt.Fprintln(w, text+oneLine(r.File)); err != nil {
		return err
	}
	for _, a := range r.Allows {
		if _, err := fmt.Fprintln(w, "  allows "+oneLine(a.text())); err != nil {
			return err
		}
	}
	return nil
}

// policyAllow has a person at this terminal allow a call that was refused.
func policyAllow(cmd *cli.Command) error {
	in, here := personAsked(cmd)
	if profile, err := profileOf(cmd); err != nil || profile == profileAgent || isolation.Agent(os.Environ()) != "" || !here || track.Within(os.Getpid()) { // into a session, anybody may type
		return &policyError{kind: unconfirmed, message: "policy: only a person allows a call", hint: "a person types it at a terminal, not in a session or for an agent"}
	}
	id := cmd.Args().Get(1)
	question, err := guard.FindQuestion(guard.UserFile(), id)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("it is allowed already, or too old")
	}
	if err != nil {
		return &hintedError{fmt.Errorf("policy: no call waits for the answer %q: %w", id, err), "repeat the call: it passes, or prints its ID"}
	}
	confirmed, err := readYes(in, cmd.Root().ErrWriter, question.Text)
	if err == nil && !confirmed {
		err = &policyError{kind: unconfirmed, message: "policy: not allowed", hint: "nothing was done"}
	}
	if err == nil {
		err = question.Allow()
	}
	if err == nil {
		note(cmd, "allowed for %.0f minutes: the repeated call passes once", guard.AllowedTime.Minutes())
	}
	return err
}
