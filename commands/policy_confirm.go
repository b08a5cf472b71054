package commands

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/runner/guard"
	"devtools/runner/proc"
)

// trustHint is added to the hint of a policyError.
const trustHint = "; the policy of the workspace allows it, but nobody has trusted it: devtools policy trust"

// A confirmation is what a person is to confirm before a call is done.
type confirmation struct {
	state    string          // path of the state folder
	agent    bool            // the call is that of an agent
	kind     string          // kind of the first call that needs a confirmation; "" for trust
	calls    []string        // whole calls that need a confirmation, as lines; secrets are masked
	verdicts []guard.Verdict // of the commands in them; secrets are masked in Command
	exact    []any           // the calls, and all that the policies say of them, with the secrets
	about    []string        // commands that need a confirmation, and why, as lines; secrets are masked
	id       string          // of the question that is kept for a person; "" for none
	warning  string          // what the user is told about the policy files; "" for nothing
}

// mostCall is how much of a call a person is shown, in bytes.
const mostCall = 32 << 10

// add adds a call that needs a confirmation: all of its text, and each command in it that needs one. The call has a Mask; the secrets
// are masked here, so that nothing has to be kept for it while a person reads.
func (c *confirmation) add(call guard.Call, verdict guard.Verdict, commands []guard.Command) {
	c.kind = cmp.Or(c.kind, call.Kind)
	c.exact = append(c.exact, call.Kind, call.Argv, call.Line, call.Code, call.Lang, call.Dir, verdict, commands)
	if text := callText(call); text != "" && !slices.Contains(c.calls, text) {
		c.calls = append(c.calls, text)
	}
	c.addVerdict(verdict, call.Mask)
	for _, one := range commands {
		if one.Verdict.Action == guard.Confirm {
			c.addVerdict(one.Verdict, call.Mask)
		}
	}
	if len(commands) >= guard.MostExplained {
		c.about = append(c.about, fmt.Sprintf("only the first %d commands are shown here", guard.MostExplained))
	}
}

// addVerdict adds a verdict, unless it is there already.
func (c *confirmation) addVerdict(v guard.Verdict, mask func(string) string) {
	v.Command = mask(v.Command)
	if !c.has(v) {
		c.verdicts, c.about = append(c.verdicts, v), append(c.about, mask(verdictText(v)))
	}
}

// has reports whether the person is asked about a verdict.
func (c *confirmation) has(v guard.Verdict) bool {
	return slices.ContainsFunc(c.verdicts, func(other guard.Verdict) bool {
		other.Untrusted = v.Untrusted // it only changes the hint
		return other == v
	})
}

// covers returns nil if a person who has confirmed c has confirmed now, too: what the policies say of the same call after the
// answer.
func (c *confirmation) covers(cmd *cli.Command, now confirmation) error {
	i := slices.IndexFunc(now.verdicts, func(v guard.Verdict) bool { return !c.has(v) })
	if i < 0 && !slices.ContainsFunc(now.calls, func(text string) bool { return !slices.Contains(c.calls, text) }) {
		return nil
	}
	v := now.verdicts[max(i, 0)]
	return &policyError{
		kind: unconfirmed, verdict: v, message: cmd.Name + ": it has changed since the question, so it is not confirmed: " + verdictText(briefly(v)),
		hint: "nothing was done; repeat the call to confirm what it does now",
	}
}

// callText returns a call as a person reads it, "" for one that neither starts nor types anything. Secrets are masked before it is
// cut.
func callText(call guard.Call) string {
	text := cmp.Or(call.Line, call.Code)
	if len(call.Argv) > 0 {
		text = proc.Line(call.Argv)
	}
	text = call.Mask(strings.TrimRight(text, "\n"))
	if n := len(text) - mostCall; n > 0 {
		text = fmt.Sprintf("%s\n… (%d bytes are left out)\n… %s", text[:mostCall/2], n, text[len(text)-mostCall/2:])
	}
	return text
}

// ask has a person confirm the call. asked says that a person was asked, and has confirmed it. The error is a *policyError if nobody
// has.
func (c confirmation) ask(cmd *cli.Command) (asked bool, err error) {
	in, here := personAsked(cmd)
	switch {
	case len(c.about) == 0, cmd.Bool("yes") && !c.agent:
		return false, nil
	case c.agent || !here:
		return c.askLater(cmd)
	}
	confirmed, err := readYes(in, cmd.Root().ErrWriter, strings.Join(c.lines(cmd.Name), "\n"))
	if err == nil && !confirmed {
		err = c.refused(cmd, "was not confirmed", "nothing was done")
	}
	return true, err
}

// personAsked returns the terminal of a person who can be asked: standard input and standard error.
func personAsked(cmd *cli.Command) (in *os.File, here bool) {
	in, ok := cmd.Root().Reader.(*os.File)
	return in, ok && isTerminal(in) && isTerminal(cmd.Root().ErrWriter)
}

// askLater keeps the question for a person. It works as ask if a person has allowed the call before, policy allow: once.
func (c confirmation) askLater(cmd *cli.Command) (asked bool, err error) {
	hint, byPerson := "run it at a terminal, or add --yes", "; a person types at a terminal: devtools policy "
	if c.agent {
		hint, byPerson = "ask a person", ", who types at a terminal: devtools policy "
	}
	if c.agent && cmd.Bool("yes") {
		hint = "--yes does not count for an agent: " + hint
	}
	switch {
	case c.kind != "":
		cwd, _ := os.Getwd() // "" counts, too
		args := cmd.Root().Args().Slice()
		whole := callText(guard.Call{Argv: append([]string{"devtools"}, args...), Mask: knownMatcher().String})
		c.calls = append([]string{whole}, c.calls...)
		exact := fmt.Sprintf("%#v", []any{args, cwd, c.state, c.exact})
		if c.id, asked = guard.AskLater(guard.UserFile(), exact, strings.Join(c.lines("in "+oneLine(cwd)+", this call"), "\n")); asked {
			return true, nil
		}
		switch {
		case c.id != "":
			hint += byPerson + "allow " + c.id + ", then the repeated call passes once"
		case c.agent:
			hint += " to make the call at a terminal"
		}
		hint += "; " + c.checkHint(c.kind)
	case c.agent:
		hint += byPerson + "trust"
	}
	return false, c.refused(cmd, "needs a confirmation", hint)
}

// checkHint returns how to see why the policies say what they say of a call.
func (c *confirmation) checkHint(kind string) string {
	hint := "devtools policy check"
	if kind != guard.KindRun {
		hint += " --call " + kind
	}
	if c.agent {
		hint += " --profile " + profileAgent
	}
	switch {
	case kind == guard.KindAnswer:
		hint += " -- TEXT"
	case slices.Contains(typing, kind):
		hint += " --in NAME -- TEXT"
	case !slices.Contains(idle, kind):
		hint += " -- COMMAND"
	}
	return hint + " shows why"
}

// lines returns what a person is asked about a call, as lines: all of the call, then what in it needs a confirmation.
func (c confirmation) lines(call string) []string {
	lines := []string{call + " needs a confirmation:"}
	for _, text := range c.calls {
		lines = append(lines, "  "+strings.ReplaceAll(text, "\n", "\n  "))
	}
	if len(c.calls) > 0 {
		lines = append(lines, "because of:")
	}
	for _, line := range c.about {
		lines = append(lines, "  "+oneLine(line))
	}
	return lines
}

// refused returns the error for a call that nobody has confirmed. It has the first verdict.
func (c confirmation) refused(cmd *cli.Command, why, hint string) error {
	err, what := &policyError{kind: unconfirmed, hint: hint, id: c.id}, strings.Join(c.about, " ")
	if len(c.verdicts) > 0 {
		err.verdict = c.verdicts[0]
		what = verdictText(briefly(err.verdict))
	}
	err.message = fmt.Sprintf("%s: %s: %s", cmd.Name, why, what)
	if err.verdict.Untrusted {
		err.hint += trustHint
	}
	return err
}

// readYes asks a question, and for a word on the terminal in, and reports whether it is a yes. A terminal gives one line at a time, so
// what follows it is left there.
func readYes(in io.Reader, out io.Writer, question string) (bool, error) {
	message(out, "%s", question)
	if _, err := io.WriteString(out, "Go on? [y/N] "); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		fmt.Fprintln(out)
	}
	word := strings.ToLower(strings.TrimSpace(line))
	return word == "y" || word == "yes", nil
}
