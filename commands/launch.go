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
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/guard"
	"devtools/runner/list"
	"devtools/runner/track"
	"devtools/runner/wire"
)

func launchCommand() *cli.Command {
	one := 1
	return &cli.Command{
		ArgsUsage: "[--] [COMMAND [ARGUMENT…]]",
		Description: `Starts COMMAND, or your shell, in a terminal of its own, and returns. Its name
is that of the program, or --name. With --ready it returns when a condition is
true (devtools wait --help lists them), and fails if the command ends before.
--all alone starts the sessions that .devtools/sessions.toml declares.

EXAMPLES:
  devtools launch --stack dev
  devtools launch --name db --ready 'text:ready to accept' -- ./start-db

EXIT CODE: 0; 1 ended before it was ready, 122 --fail, 124 timeout, 125 to 127
  not started`,
		CustomHelpTemplate: `READINESS: ready timeout screen | all fail
SESSION: name stack if-absent replace attach env | A label title cwd secret shell profile inherit-env
TERMINAL: | no-pty size scrollback read-only detach-keys copy-keys
END: | leftovers on-exit kill-after tether idle-limit
LIMITS: | max-sessions max-log no-record cgroup isolation workspace allow-write net share yes`,
		StopOnNthArg: &one,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringSliceFlag{Name: "ready", Usage: "return when any `CONDITION` is true"},
			&cli.BoolFlag{Name: "all", Usage: "wait for every --ready, or start all of sessions.toml"},
			failFlag(),
			conditionTimeout("wait `DURATION` for --ready; 0: no limit", "30s"),
			screenFlag(),
			&cli.BoolFlag{Name: "attach", Usage: "attach this terminal to the session"},
			&cli.BoolFlag{Name: "A", Usage: "attach; use a session of that name if one runs"},
			&cli.BoolFlag{Name: "replace", Usage: "end a running session of that name first"},
			&cli.BoolFlag{Name: "if-absent", Usage: "use a session of that name if one runs"},
			&cli.StringSliceFlag{Name: "label", Usage: "label the session `KEY=VALUE`"},
			oneOf(&cli.StringFlag{Name: "leftovers", Usage: "`ACTION` for processes that outlive the command: report, kill", Value: wire.LeftoversReport}, wire.LeftoversReport, wire.LeftoversKill),
			onExitFlag(),
			yesFlag(),
			&cli.StringFlag{Name: "size", Usage: "size of the terminal: `COLSxROWS`", DefaultText: "as this terminal with --attach, otherwise 80x24"},
			scrollbackFlag(),
			&cli.BoolFlag{Name: "no-pty", Usage: "use pipes, not a terminal; standard input stays open"},
			&cli.StringFlag{Name: "kill-after", Aliases: []string{"k"}, Usage: "send KILL `DURATION` after TERM", Value: "5s"},
			stackFlag(),
		}, lifeFlags("refuse if `N` sessions run in the workspace; 0: never"), specFlags(), attachFlags()),
		ArgValidator: commandOrStack,
		Action:       launch,
	}
}

// A launchResult is the output of launch --json.
type launchResult struct {
	Name      string            `json:"name"`                  // name of the session
	SessionID string            `json:"sessionId"`             // id of the session
	Command   []string          `json:"command"`               // arguments of the command
	Cwd       string            `json:"cwd"`                   // working directory at the start
	PID       int               `json:"pid"`                   // main process
	Size      ledger.Size       `json:"size"`                  // size of the terminal
	Status    string            `json:"status"`                // status of the session, as in ps
	Log       string            `json:"log,omitzero"`          // file with the newest output; absent with --no-record
	Isolation string            `json:"isolation,omitzero"`    // level of its isolation, if it is not medium: none, basic or high
	Withheld  []string          `json:"withheldEnv,omitempty"` // with --profile agent: variables of the caller that seem secret and were not passed to the command
	Title     string            `json:"title,omitzero"`        // title of the session, if it has one
	Labels    map[string]string `json:"labels"`                // labels of the session
	Created   bool              `json:"created"`               // false if --if-absent found a session
	Ready     *waitResult       `json:"ready,omitempty"`       // with --ready or --stack: what came of the wait
	Ports     []list.Port       `json:"ports"`                 // with --ready or --stack: ports of the session when it is ready
	Screen    *screenResult     `json:"screen,omitempty"`      // with --screen: the screen afterwards, without the empty rows at its end
	Output    string            `json:"output"`                // the last lines of output, if the session ended before it was ready or --fail was true
	callEnd
	Hints []string `json:"hints"` // what to do next, each a command line or a sentence
}

func launch(ctx context.Context, cmd *cli.Command) error {
	if launchesAll(cmd) {
		return launchAll(ctx, cmd)
	}
	req, err := newLaunchRequest(ctx, cmd)
	if err != nil {
		return err
	}
	if err := judge(cmd, req.spec.Dir, func() []guard.Call { return startCalls(guard.KindLaunch, &req.spec) }); err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, endSignals()...)
	defer signal.Stop(signals)
	req.advise(cmd, req.twin(ctx))
	var client *runner.Client
	var created bool
	err = orInStateHome(cmd, &req.spec.Dir, func() (err error) {
		client, created, err = req.start(ctx, signals)
		return err
	})
	if err != nil {
		return err
	}
	defer client.Close()
	waiting, stop := endedBySignals(ctx, signals, saysGoingOn(cmd, fmt.Sprintf("session %q still runs", client.Session.Name), devtoolsCommand(cmd)+" kill "+client.Session.Name))
	defer stop()
	dir, err := ledger.Open(req.spec.Dir)
	if err != nil {
		return err
	}
	if !created {
		req.adviseKept(cmd, client.Session)
	}
	begin := time.Now()
	req.ready.FromStart = created
	waited, err := req.awaitReady(waiting, client)
	if err != nil {
		return err
	}
	if req.attach == nil {
		return req.showLaunched(waiting, cmd, dir, waited, created, time.Since(begin))
	}
	if err := req.notReady(waiting, cmd, dir, waited); err != nil {
		return err
	}
	stop() // from now on the signals are for the terminal
	signal.Stop(signals)
	err = attachTo(ctx, cmd, client, *req.attach)
	if errors.Is(err, wire.ErrHolderGone) || errors.Is(err, wire.ErrEnded) {
		return showEnded(ctx, cmd, dir, client.Session.ID)
	}
	return err
}

// adviseKept tells what a session that already runs has kept, against the flags.
func (req *launchRequest) adviseKept(cmd *cli.Command, s ledger.Session) {
	keeps := func(when bool, what string) {
		if when {
			req.advise(cmd, fmt.Sprintf("session %q already runs%s", s.Name, what))
		}
	}
	keeps(len(req.spec.Labels) > 0, ": it keeps its labels")
	keeps(req.spec.Title != "" && req.spec.Title != s.Title, ": it keeps its title")
	keeps(req.spec.NoRecord && !s.NoRecord, ", and its output is recorded")
	keeps(req.spec.NoTerminal && s.Size.Cols > 0, ", and has a terminal")
}

// advise tells text, if it is not empty, as a message, or in the result with --json.
func (req *launchRequest) advise(cmd *cli.Command, text string) {
	if text != "" {
		note(cmd, "%s", text)
		req.hints = append(req.hints, text)
	}
}

// showLaunched prints the session. Its error says that the session is not ready.
func (req launchRequest) showLaunched(ctx context.Context, cmd *cli.Command, dir ledger.Dir, waited runner.Waited, created bool, took time.Duration) error {
	result, notReady := req.launched(ctx, cmd, dir, waited, created, took)
	var err error
	if result.Screen, err = askedScreen(ctx, cmd, dir, result.SessionID); err != nil {
		return err
	}
	if err := show(cmd, result, launchText); err != nil {
		return &sessionError{err: err, name: result.Name, hint: fmt.Sprintf("session %q is started: devtools ps %s", result.Name, result.Name)}
	}
	result.say(cmd, fmt.Sprintf("session %q", result.Name))
	if !cmd.Bool("json") {
		sayListening(cmd, result)
		remindSince(ctx, cmd, dir, startedBy(waited.Session))
	}
	return told(cmd, notReady)
}

// launched returns the result of a launch, and why the session is not ready.
func (req launchRequest) launched(ctx context.Context, cmd *cli.Command, dir ledger.Dir, waited runner.Waited, created bool, took time.Duration) (result launchResult, notReady error) {
	result = newLaunchResult(dir, waited.Session, created)
	if created {
		result.Withheld = req.spec.Withheld
	}
	if len(req.ready.Until) > 0 {
		ready := newWaitResult(waited, took)
		result.Ready = &ready
	}
	if len(waited.Met) > 0 {
		ready := track.StateEvent(ledger.EventReady, waited.Session, "", strings.Join(waited.Met, ", "))
		_ = dir.Append(ctx, []ledger.Event{ready}) // where it cannot be written, the session is ready all the same
	}
	if (req.stack || cmd.Bool("json")) && len(waited.Met) > 0 {
		result.Ports = append(result.Ports, list.PortsOf(ctx, dir, result.SessionID)...)
	}
	notReady = req.notReady(ctx, cmd, dir, waited)
	if unready, ok := errors.AsType[*unreadyError](notReady); ok {
		result.Output = unready.output
	}
	result.Hints = append(append(result.Hints, req.hints...), launchHints(cmd, result, notReady)...)
	return result, notReady
}

// launchHints returns commands about a session that is not ready, for the reason err.
func launchHints(cmd *cli.Command, r launchResult, err error) (hints []string) {
	devtools := devtoolsCommand(cmd)
	switch about, ok := errors.AsType[*sessionError](err); {
	case err == nil:
		return nil
	case ok && about.hint != "":
		return []string{about.hint}
	case !errors.Is(err, errUnmet) && r.Size.Cols > 0: // it may still run
		hints = []string{devtools + " screen " + r.Name}
	}
	return append(hints, devtools+" log "+r.Name)
}

func newLaunchResult(dir ledger.Dir, s ledger.Session, created bool) launchResult {
	return launchResult{
		Name: s.Name, SessionID: s.ID, Command: s.Command, Cwd: s.Cwd, PID: s.Main.PID, Size: s.Size,
		Status: s.Status, Log: runner.LogPath(dir, s), Isolation: s.Isolation, Title: s.Title, Labels: labelsOf(s), Created: created,
		Ports: []list.Port{}, callEnd: callEndOf(s), Hints: []string{},
	}
}

// launchText prints the screen if that was asked for, and otherwise the name, for people and for scripts:
// name=$(devtools launch -- top).
func launchText(w io.Writer, r launchResult) error {
	if r.Screen != nil {
		return printRows(w, r.Screen)
	}
	_, err := fmt.Fprintln(w, r.Name)
	return err
}

// sayListening tells a person where the session listens.
func sayListening(cmd *cli.Command, r launchResult) {
	for _, p := range r.Ports {
		note(cmd, "%s listens on %s", r.Name, cmp.Or(p.URL, p.Address+" port "+strconv.Itoa(p.Port)))
	}
}
