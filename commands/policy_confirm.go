package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/guard"
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
	explainHint = "devtools policy check explains it; who may change that file can allow it"
	yesHint     = "a person confirms it at a terminal, or by --yes; devtools policy check explains it"
	agentHint   = "with --profile agent a person must confirm it: --yes does not count"
	trustHint   = "; the policy of the workspace allows it, but nobody has trusted it: devtools policy trust"
)

// A confirmation is what a person is to confirm before a call is done.
type confirmation struct {
	state    string          // path of the state folder
	agent    bool            // the call is that of an agent
	verdicts []guard.Verdict // of the commands of the call
	about    []string        // what the person is asked about, as lines
}

// ask has a person confirm the call. The error is a *policyError if nobody has.
func (c confirmation) ask(ctx context.Context, cmd *cli.Command) error {
	in, isFile := cmd.Root().Reader.(*os.File)
	switch {
	case len(c.about) == 0:
		return nil
	case c.agent:
		return c.askAttached(ctx, cmd)
	case cmd.Bool("yes"):
		return nil
	case !isFile || !isTerminal(in) || !isTerminal(cmd.Root().ErrWriter):
		return c.refused(cmd, "needs a confirmation", yesHint)
	}
	w := cmd.Root().ErrWriter
	for _, line := range c.lines(cmd.Name) {
		message(w, "%s", line)
	}
	confirmed, err := readYes(in, w)
	if err == nil && !confirmed {
		err = c.refused(cmd, "was not confirmed", "nothing was done")
	}
	return err
}

// lines returns what a person is asked about a call, as lines.
func (c confirmation) lines(call string) []string {
	lines := []string{call + " needs a confirmation:"}
	for _, line := range c.about {
		lines = append(lines, "  "+line)
	}
	return lines
}

// refused returns the error for a call that nobody has confirmed. It has the first verdict.
func (c confirmation) refused(cmd *cli.Command, why, hint string) error {
	err, what := &policyError{kind: unconfirmed, hint: hint}, c.about[0]
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
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	starter := runner.Prepare()
	defer starter.Close()
	client, err := starter.Start(ctx, spec, nil)
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
	lines := c.lines("devtools " + cmd.Name)
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
