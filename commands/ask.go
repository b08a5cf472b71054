package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/attach"
	"devtools/runner/condition"
	"devtools/runner/guard"
	"devtools/runner/wire"
)

func askCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME",
		Description: `Asks a person to do what the message says in the session NAME, and waits until a
person has attached to it and detached again. ps and attach show the request. On
a terminal, ask attaches it at once. The request ends with this process.

EXAMPLES:
  devtools ask deploy --message 'type the one-time password'
  devtools ask deploy --message 'log in' --done-when 'text:Welcome'

EXIT CODE: 0 done, 123 no such session or it has ended, 124 timeout`,
		Flags: []cli.Flag{
			targetFlag(),
			&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "tell the person `TEXT`"},
			&cli.StringFlag{Name: "timeout", Aliases: []string{"T"}, Usage: "withdraw the request after `DURATION`; 0: never", Value: "5m"},
			&cli.StringSliceFlag{Name: "done-when", Usage: "also return when `CONDITION` is true"},
			screenFlag(),
			yesFlag(),
			&cli.BoolFlag{Name: "cancel", Usage: "withdraw all requests in the session"},
		},
		ArgValidator: oneSession,
		Action:       ask,
	}
}

// An askResult is the output of ask --json.
type askResult struct {
	Name      string        `json:"name"`             // name of the session
	SessionID string        `json:"sessionId"`        // id of the session
	Answered  bool          `json:"answered"`         // a person has done what was asked, or a condition of --done-when came true
	By        string        `json:"by,omitzero"`      // what has ended the request: attach or condition
	TimedOut  bool          `json:"timedOut"`         // nobody has answered in time
	Ended     bool          `json:"ended"`            // the session has ended before that
	Withdrawn int           `json:"withdrawn"`        // with --cancel: number of requests that were withdrawn
	WaitedMs  int64         `json:"waitedMs"`         // duration of the wait
	Screen    *screenResult `json:"screen,omitempty"` // the screen afterwards, without the empty rows at its end
}

// askRules are the rules about the flags of ask.
var askRules = []flagRule{{flags: []string{"cancel"}, without: []string{"message", "done-when", "screen"}}}

func ask(ctx context.Context, cmd *cli.Command) error {
	if err := checkFlags(cmd, askRules); err != nil {
		return err
	}
	if !cmd.Bool("cancel") && cmd.String("message") == "" {
		return usagef("ask: --message is missing: say what the person must do")
	}
	timeout, err := duration(cmd, "timeout")
	if err != nil {
		return err
	}
	doneWhen, err := conditions(cmd, "done-when")
	if err != nil {
		return err
	}
	name := target(cmd)
	dir, err := openState(cmd, name)
	if err != nil {
		return err
	}
	client, err := attach.Reach(dir, name)
	if err != nil {
		return err
	}
	defer client.Close()
	if cmd.Bool("cancel") {
		return withdraw(ctx, cmd, client)
	}
	err = judge(cmd, dir.Path(), func() []guard.Call { return []guard.Call{{Kind: guard.KindAsk}} })
	if err != nil {
		return err
	}
	begin := time.Now()
	by, err := askPerson(ctx, cmd, dir, client, doneWhen, timeout)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("session %q: no person answered, and the request is withdrawn: %w after %v", name, wire.ErrTimeout, timeout)
		return showUnanswered(cmd, client, time.Since(begin), err)
	case errors.Is(err, wire.ErrEnded):
		err = ledger.SessionError(client.Session.Name, fmt.Errorf("%w before the request was done", wire.ErrEnded))
		return showUnanswered(cmd, client, time.Since(begin), err)
	case errors.Is(err, context.Canceled):
		return &interruptedError{fmt.Sprintf("session %q: interrupted: the request is withdrawn", name)}
	case err != nil:
		return err
	}
	return showAnswered(ctx, cmd, dir, client, by, time.Since(begin))
}

// withdraw withdraws all requests in a session.
func withdraw(ctx context.Context, cmd *cli.Command, client *runner.Client) (err error) {
	result := askResult{Name: client.Session.Name, SessionID: client.Session.ID}
	if result.Withdrawn, err = client.Withdraw(ctx); err != nil {
		return err
	}
	return show(cmd, result, func(w io.Writer, r askResult) error {
		_, err := fmt.Fprintf(w, "%d %s withdrawn\n", r.Withdrawn, plural(r.Withdrawn, "request", "requests"))
		return err
	})
}

// askPerson asks, and waits until it is done. by says what has ended the request: attach or condition.
func askPerson(ctx context.Context, cmd *cli.Command, dir ledger.Dir, client *runner.Client, doneWhen []condition.Condition, timeout time.Duration) (by string, err error) {
	message := cmd.String("message")
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	if _, _, ok := person(cmd); ok && !attach.Inside(client.Session) && !cmd.Bool("json") {
		return askHere(ctx, cmd, dir, client, message, doneWhen)
	}
	ctx, stop := signal.NotifyContext(ctx, endSignals()...)
	defer stop()
	return client.Ask(ctx, message, doneWhen)
}

// showAnswered prints that a request is done, and with --json the screen afterwards.
func showAnswered(ctx context.Context, cmd *cli.Command, dir ledger.Dir, client *runner.Client, by string, took time.Duration) error {
	picture, err := screenAfter(ctx, cmd, dir, client.Session.ID)
	if err != nil {
		return err
	}
	result := askResult{
		Name: client.Session.Name, SessionID: client.Session.ID,
		Answered: true, By: by, WaitedMs: took.Milliseconds(), Screen: picture,
	}
	return show(cmd, result, func(w io.Writer, r askResult) error {
		if cmd.Bool("screen") {
			return printRows(w, r.Screen)
		}
		_, err := fmt.Fprintf(w, "done after %s, by %s\n", shortDuration(took), r.By)
		return err
	})
}

// showUnanswered prints with --json that nobody has answered in time, or before the session has ended, which err says.
func showUnanswered(cmd *cli.Command, client *runner.Client, took time.Duration, err error) error {
	if !cmd.Bool("json") {
		return err
	}
	result := askResult{Name: client.Session.Name, SessionID: client.Session.ID, TimedOut: errors.Is(err, wire.ErrTimeout), Ended: errors.Is(err, wire.ErrEnded), WaitedMs: took.Milliseconds()}
	if err := printJSON(cmd, result); err != nil {
		return err
	}
	return told(cmd, err)
}

// askHere asks the person in front of this terminal. The person may also answer at another terminal.
func askHere(ctx context.Context, cmd *cli.Command, dir ledger.Dir, client *runner.Client, message string, doneWhen []condition.Condition) (by string, err error) {
	asking, err := attach.Reach(dir, client.Session.ID)
	if err != nil {
		return "", err
	}
	defer asking.Close()
	attached, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		by  string
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		by, err := asking.Ask(attached, message, doneWhen)
		answered <- answer{by, err}
		if !errors.Is(err, wire.ErrEnded) { // the terminal here notices that end too
			cancel()
		}
	}()
	result, err := attachTerminal(attached, cmd, client, attachOptions{})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, context.Canceled), err == nil && result.How == attach.Ended:
		a := <-answered
		return a.by, a.err
	case err != nil:
		return "", err
	case result.How == attach.Detached:
		return runner.ByAttach, nil
	case result.Signal != nil:
		return "", endedBy(result.Signal)
	}
	return "", endedBy(syscall.SIGHUP) // the terminal is gone
}
