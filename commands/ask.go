package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/attach"
	"devtools/runner/condition"
	"devtools/runner/wire"
	"devtools/screen"
)

func askCommand() *cli.Command {
	return &cli.Command{
		Name:      "ask",
		Usage:     "hand a session to a person, and wait until they are done",
		ArgsUsage: "NAME",
		Description: "Asks a person to do in the session NAME what the message says, and waits until one has attached to it\n" +
			"and detached again. The request is shown by ps, and by attach. Where this is a terminal itself, it is\n" +
			"attached at once. The request ends with this process.\n\n" +
			"Example: devtools ask deploy --message 'type the one-time password'\n\n" +
			"Exit code: 0 done; 123 no such session, or it has ended, 124 timed out, 130 interrupted.",
		Flags: []cli.Flag{
			targetFlag(),
			&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "`TEXT` that the person reads"},
			&cli.StringFlag{Name: "timeout", Usage: "withdraw the request after `DURATION`, 0 is never", Value: "5m"},
			&cli.StringSliceFlag{Name: "done-when", Usage: "it is done too when `CONDITION` is true"},
			&cli.BoolFlag{Name: "cancel", Usage: "withdraw what persons are asked for in the session"},
		},
		ArgValidator:  oneSession,
		ShellComplete: completeSessions,
		Action:        ask,
	}
}

// An askResult is the output of ask --json.
type askResult struct {
	Name      string        `json:"name"`
	SessionID string        `json:"sessionId"`
	Answered  bool          `json:"answered"`
	By        string        `json:"by,omitzero"` // attach or condition
	Withdrawn int           `json:"withdrawn,omitzero"`
	WaitedMs  int64         `json:"waitedMs"`
	Screen    *screenResult `json:"screen,omitempty"` // the screen afterwards
}

func ask(ctx context.Context, cmd *cli.Command) error {
	message := cmd.String("message")
	switch {
	case cmd.Bool("cancel") && (message != "" || cmd.IsSet("done-when")):
		return usagef("ask: --cancel asks for nothing: it goes with neither --message nor --done-when")
	case !cmd.Bool("cancel") && message == "":
		return usagef("ask: --message is missing: what is the person to do?")
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
	result := askResult{Name: client.Session.Name, SessionID: client.Session.ID}
	if cmd.Bool("cancel") {
		if result.Withdrawn, err = client.Withdraw(ctx); err != nil {
			return err
		}
		return show(cmd, result, func(w io.Writer, r askResult) error {
			_, err := fmt.Fprintf(w, "%d %s withdrawn\n", r.Withdrawn, plural(r.Withdrawn, "request", "requests"))
			return err
		})
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	begin := time.Now()
	if _, _, ok := person(cmd); ok && !attach.Inside(client.Session) && !cmd.Bool("json") {
		result.By, err = askHere(ctx, cmd, dir, client, message, doneWhen)
	} else {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		result.By, err = client.Ask(ctx, message, doneWhen)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("session %q: nobody came, and the request is withdrawn: %w after %v", name, wire.ErrTimeout, timeout)
	}
	if errors.Is(err, context.Canceled) {
		return &interruptedError{fmt.Sprintf("session %q: interrupted: the request is withdrawn", name)}
	}
	if err != nil {
		return err
	}
	result.Answered, result.WaitedMs = true, time.Since(begin).Milliseconds()
	session, pic, err := runner.See(context.WithoutCancel(ctx), dir, client.Session.ID, runner.Look{View: screen.Visible()})
	if err != nil {
		return err
	}
	picture := newScreenResult(cmd, session, pic)
	result.Screen = &picture
	return show(cmd, result, func(w io.Writer, r askResult) error {
		_, err := fmt.Fprintf(w, "done after %s, by %s\n", short(time.Since(begin)), r.By)
		return err
	})
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
	result, err := inFront(attached, cmd, client, attachOptions{keys: attach.DefaultDetachKeys, message: message})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, context.Canceled):
		a := <-answered
		return a.by, a.err
	case err != nil:
		return "", err
	case result.How == attach.Detached || result.How == attach.Ended:
		return runner.ByAttach, nil
	case result.Signal != nil:
		return "", endedBy(result.Signal)
	}
	return "", endedBy(syscall.SIGHUP) // the terminal is gone
}
