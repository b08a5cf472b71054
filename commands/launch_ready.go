package commands

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/attach"
	"devtools/runner/condition"
	"devtools/runner/wire"
	"devtools/screen"
)

// endedBySignals returns a context that ends with the first signal. The signal then ends this process, but not the
// session, which say tells before. stop leaves further signals to somebody else.
func endedBySignals(ctx context.Context, signals <-chan os.Signal, say func()) (waiting context.Context, stop context.CancelFunc) {
	ctx, stop = context.WithCancel(ctx)
	go func() {
		select {
		case sig := <-signals:
			say()
			endBy(sig)
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}

// saysGoingOn returns a function that says what goes on although a signal ends this process, and what to do next.
func saysGoingOn(cmd *cli.Command, what, next string) func() {
	return func() {
		if !cmd.Bool("json") {
			sayContinues(cmd, []string{next}, "a signal has ended %s: %s", cmd.Name, what)
		}
	}
}

// awaitReady waits for the conditions of --ready. Without them it returns at once.
func (req launchRequest) awaitReady(ctx context.Context, client *runner.Client) (runner.Waited, error) {
	if len(req.ready.Until) == 0 {
		return runner.Waited{Session: client.Session}, nil
	}
	return client.Wait(ctx, req.ready)
}

// notReady returns why the session is not ready. If the session has ended, or a condition of --fail is true, the
// error includes the last output.
func (req launchRequest) notReady(ctx context.Context, cmd *cli.Command, dir ledger.Dir, waited runner.Waited) error {
	if len(req.ready.Until) == 0 {
		return nil
	}
	err := waitFault(waited, req.ready)
	if about, ok := errors.AsType[*sessionError](err); ok && errors.Is(err, errUnmet) {
		about.hint = cmp.Or(packagesHint(ctx, cmd, waited.Session), about.hint)
	}
	if errors.Is(err, errUnmet) || errors.Is(err, errFailed) {
		if lines := lastLines(dir, waited.Session, 10); lines != "" {
			err = &unreadyError{err, lines}
		}
	}
	return err
}

// An unreadyError is the reason why a session is not ready, with its last output.
type unreadyError struct {
	err    error
	output string
}

func (e *unreadyError) Error() string { return e.err.Error() + "\nits last output:\n" + e.output }
func (e *unreadyError) Unwrap() error { return e.err }

// lastShown is the number of last lines that are shown of an ended session.
const lastShown = 100

// showEnded shows the output of a session that had ended before it could be attached. It prints to the person's
// terminal.
func showEnded(ctx context.Context, cmd *cli.Command, dir ledger.Dir, id string) error {
	waited, err := runner.WaitFor(ctx, dir, id, runner.Wait{Until: []condition.Condition{condition.Exit()}, Timeout: 30 * time.Second})
	if err != nil {
		return err
	}
	if waited.TimedOut {
		return ledger.SessionError(waited.Session.Name, wire.ErrNoAnswer)
	}
	if lines := lastLines(dir, waited.Session, lastShown); lines != "" { // as text: a terminal would answer queries in it
		if _, err := fmt.Fprintln(cmd.Root().Writer, lines); err != nil {
			return err
		}
	}
	sayAttached(cmd, attach.Result{How: attach.Ended, Session: waited.Session})
	if code := waited.Session.ExitCode; code != nil && *code != 0 {
		return exitCode(*code)
	}
	return nil
}

// lastLines returns the last lines of the session's output, as text.
func lastLines(dir ledger.Dir, s ledger.Session, n int) string {
	log, err := runner.OpenLog(dir, s.ID)
	if err != nil {
		return "" // the message must do without them
	}
	defer log.Close()
	start, end, err := log.Tail(n)
	if err != nil {
		return ""
	}
	page, err := log.Page(start)
	if err != nil {
		return ""
	}
	page.EndAt(end)
	var text bytes.Buffer
	size := s.Size
	if size == (ledger.Size{}) {
		size = ledger.Size{Cols: 80, Rows: 24}
	}
	plain := screen.NewPlain(&text, size.Cols, size.Rows)
	_, _ = plain.Write(page.Data) // neither can fail
	_ = plain.Close()
	return strings.TrimRight(text.String(), "\n")
}
