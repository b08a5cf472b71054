package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/guard"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

const (
	// confirmTime is how long a person has for a confirmation, unless the call has a --timeout.
	confirmTime = 5 * time.Minute

	// confirmName is the command, and the beginning of the name of the session, in which a person confirms what an agent calls.
	confirmName = "confirm"
)

// The hints of a policyError.
const (
	yesHint   = "run it at a terminal, or add --yes"
	agentHint = "--yes does not count with --profile agent: repeat the call while a person can answer, by devtools attach " + confirmName
	trustHint = "; the policy of the workspace allows it, but nobody has trusted it: devtools policy trust"
)

// A confirmation is what a person is to confirm before a call is done.
type confirmation struct {
	state    string          // path of the state folder
	agent    bool            // the call is that of an agent
	kind     string          // kind of the first call that needs a confirmation; "" for trust
	calls    []string        // whole calls that need a confirmation, as lines; secrets are masked
	verdicts []guard.Verdict // of the commands in them; secrets are masked in Command
	about    []string        // commands that need a confirmation, and why, as lines; secrets are masked
	warning  string          // what the user is told about the policy files; "" for nothing
}

// mostExplained is how many commands of a call guard tells at most.
const mostExplained = 100

// mostCall is how much of a call a person is shown, in bytes.
const mostCall = 32 << 10

// add adds a call that needs a confirmation: all of its text, and each command in it that needs one. The call has a Mask; the secrets
// are masked here, so that nothing has to be kept for it while a person reads.
func (c *confirmation) add(call guard.Call, verdict guard.Verdict, commands []guard.Command) {
	c.kind = cmp.Or(c.kind, call.Kind)
	if text := callText(call); text != "" && !slices.Contains(c.calls, text) {
		c.calls = append(c.calls, text)
	}
	c.addVerdict(verdict, call.Mask)
	for _, one := range commands {
		if one.Verdict.Action == guard.Confirm {
			c.addVerdict(one.Verdict, call.Mask)
		}
	}
	if len(commands) >= mostExplained {
		c.about = append(c.about, fmt.Sprintf("only the first %d commands are shown here", mostExplained))
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
	for _, v := range now.verdicts {
		if !c.has(v) {
			return c.changed(cmd, v)
		}
	}
	for _, text := range now.calls {
		if !slices.Contains(c.calls, text) {
			return c.changed(cmd, now.verdicts[0])
		}
	}
	return nil
}

// changed returns the error for a call that is no longer the one that was confirmed.
func (c *confirmation) changed(cmd *cli.Command, v guard.Verdict) error {
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
func (c confirmation) ask(ctx context.Context, cmd *cli.Command) (asked bool, err error) {
	in, isFile := cmd.Root().Reader.(*os.File)
	switch {
	case len(c.about) == 0:
		return false, nil
	case c.agent:
		return true, c.askAttached(ctx, cmd)
	case cmd.Bool("yes"):
		return false, nil
	case !isFile || !isTerminal(in) || !isTerminal(cmd.Root().ErrWriter):
		hint := yesHint
		if c.kind != "" {
			hint += "; " + c.checkHint(c.kind)
		}
		return false, c.refused(cmd, "needs a confirmation", hint)
	}
	w := cmd.Root().ErrWriter
	message(w, "%s", strings.Join(c.lines(cmd.Name), "\n"))
	confirmed, err := readYes(in, w)
	if err == nil && !confirmed {
		err = c.refused(cmd, "was not confirmed", "nothing was done")
	}
	return true, err
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
		for line := range strings.SplitSeq(text, "\n") {
			lines = append(lines, "  "+line)
		}
	}
	if len(c.calls) > 0 {
		lines = append(lines, "because of:")
	}
	return append(lines, c.reasons()...)
}

// reasons returns what needs a confirmation, as lines.
func (c confirmation) reasons() (lines []string) {
	for _, line := range c.about {
		lines = append(lines, "  "+line)
	}
	return lines
}

// refused returns the error for a call that nobody has confirmed. It has the first verdict.
func (c confirmation) refused(cmd *cli.Command, why, hint string) error {
	err, what := &policyError{kind: unconfirmed, hint: hint}, strings.Join(c.about, " ")
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

// readYes asks for a word on the terminal in, and reports whether it is a yes. A terminal gives one line at a time, so what follows
// it is left there.
func readYes(in io.Reader, out io.Writer) (bool, error) {
	if _, err := io.WriteString(out, "Go on? [y/N] "); err != nil {
		return false, err
	}
	var line []byte
	for buffer := make([]byte, 256); !strings.Contains(string(line), "\n"); {
		n, err := in.Read(buffer)
		if line = append(line, buffer[:n]...); err != nil || len(line) > len(buffer) {
			fmt.Fprintln(out)
			break
		}
	}
	word := strings.ToLower(strings.TrimSpace(string(line)))
	return word == "y" || word == "yes", nil
}

// askAttached starts a session that asks, hands it to a person, and waits for the answer. Only a person who attaches to it can
// answer.
func (c confirmation) askAttached(ctx context.Context, cmd *cli.Command) error {
	limit, err := confirmLimit(cmd)
	if err != nil {
		return err
	}
	spec, err := c.spec(cmd)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, endSignals()...)
	defer stop()
	starter := runner.Prepare(nil)
	defer starter.Close()
	client, err := starter.Start(ctx, spec)
	if err != nil {
		return &startError{fmt.Errorf("ask for a confirmation: %w", err)}
	}
	defer client.Close()
	note(cmd, "a person is asked to confirm it: %s attach %s", devtoolsCommand(cmd), client.Session.Name)
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	session, err := client.AskUntilEnd(ctx, c.request(cmd))
	if err != nil {
		endConfirmation(client)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return c.refused(cmd, fmt.Sprintf("was not confirmed within %v", limit), agentHint)
	case errors.Is(err, context.Canceled):
		return &interruptedError{cmd.Name + ": interrupted before it was confirmed"}
	case err == nil && session.ExitCode != nil && *session.ExitCode == 0:
		return nil
	}
	return c.refused(cmd, "was not confirmed", agentHint)
}

// request returns what ps and attach show of the question. The session itself shows all of it: a part that is left out could be what
// matters.
func (c confirmation) request(cmd *cli.Command) string {
	lines := append([]string{"devtools " + cmd.Name + " needs a confirmation:"}, c.reasons()...)
	for i := range lines {
		lines[i] = shortCommand(lines[i])
	}
	return strings.Join(lines[:min(len(lines), mostAsked)], "\n")
}

// mostAsked is how many lines of a question ps and attach show.
const mostAsked = 3

// confirmLimit returns how long a person has for the confirmation: the --timeout of the call, where it is set, or confirmTime. 0 is
// for ever.
func confirmLimit(cmd *cli.Command) (time.Duration, error) {
	if !cmd.IsSet("timeout") || cmd.String("timeout") == "" {
		return confirmTime, nil
	}
	return duration(cmd, "timeout")
}

// spec returns the session that asks. It ends with this process.
func (c confirmation) spec(cmd *cli.Command) (s wire.Spec, err error) {
	if s.Path, err = track.Executable(); err != nil {
		return s, &startError{err}
	}
	if s.Retention, err = retention(); err != nil {
		return s, err
	}
	s.Dir, s.Base, s.Env, s.Cwd = c.state, confirmName, os.Environ(), "/"
	s.Command = append([]string{"devtools", confirmName, "--"}, c.lines("devtools "+cmd.Name)...)
	s.Size = ledger.Size{Cols: 80, Rows: 24}
	s.Leftovers, s.KillAfter = wire.LeftoversKill, time.Second
	s.MaxLog, s.NoCgroup, s.Foreground = transcript.MinMax, true, true
	s.Tether, s.PersonOnly = os.Getpid(), true
	return s, nil
}

// endConfirmation ends the session that asks.
func endConfirmation(client *runner.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), wire.Farewell)
	defer cancel()
	_, _ = client.Kill(ctx, 0, "KILL", 0) // otherwise the end of this process does it
}

// confirmCommand returns the program of the session that asks. Its arguments are the lines of the question.
func confirmCommand() *cli.Command {
	return &cli.Command{
		ArgValidator: arguments(1, 1<<20, "the question"),
		Action: func(_ context.Context, cmd *cli.Command) error {
			w := cmd.Root().Writer
			for _, line := range cmd.Args().Slice() {
				if _, err := fmt.Fprintln(w, oneLine(line)); err != nil {
					return err
				}
			}
			confirmed, err := readYes(cmd.Root().Reader, w)
			if err == nil && !confirmed {
				err = exitCode(codeFailed)
			}
			return err
		},
	}
}
