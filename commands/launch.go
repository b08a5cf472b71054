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
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/list"
	"devtools/runner/wire"
)

func launchCommand() *cli.Command {
	one := 1
	return &cli.Command{
		ArgsUsage: "[--] [COMMAND [ARGUMENT…]]",
		Description: "Starts COMMAND, or your shell, in its own terminal, and returns. The session runs until the command ends\n" +
			"or kill ends it. Its name is that of the program, or that of --name. With --ready, launch returns when a\n" +
			"condition is true (devtools help wait lists them), and fails when the command ends before. --stack dev\n" +
			"starts the workspace's own command and waits until it listens.\n\n" +
			"Example: devtools launch --stack dev; devtools launch --name db --ready port:5432 -- ./start-db\n\n" +
			"Exit code: 0; 1 ended before it was ready, 122 --fail, 124 timed out, 125 not started, 126 not executable,\n" +
			"127 not found.",
		StopOnNthArg: &one,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringSliceFlag{Name: "ready", Usage: "return when `CONDITION` is true; of several, when any is"},
		}, conditionFlags(), []cli.Flag{
			conditionTimeout("stop waiting for --ready after `DURATION`; 0: never", "30s"),
			&cli.BoolFlag{Name: "attach", Usage: "attach this terminal to the session"},
			&cli.BoolFlag{Name: "A", Usage: "attach; use a session of that name if one runs"},
			&cli.BoolFlag{Name: "replace", Usage: "end a running session of that name first"},
			&cli.BoolFlag{Name: "if-absent", Usage: "use a session of that name if one runs"},
			&cli.IntFlag{Name: "tether", Usage: "end the session 3s after process `PID` ends", HideDefault: true},
			&cli.StringSliceFlag{Name: "label", Usage: "label the session `KEY=VALUE`"},
			&cli.IntFlag{Name: "max-sessions", Usage: "refuse if `N` sessions run in the workspace; 0: never", Value: 15},
			&cli.StringFlag{Name: "on-exit", Usage: "`ACTION` for processes that outlive the command: keep, kill", Value: "keep"},
			&cli.StringFlag{Name: "size", Usage: "size of the terminal: `COLSxROWS`", DefaultText: "as this terminal with --attach, otherwise 80x24"},
			scrollbackFlag(),
			&cli.StringFlag{Name: "kill-after", Aliases: []string{"k"}, Usage: "send KILL `DURATION` after TERM, with --replace", Value: "5s"},
			stackFlag(),
		}, specFlags(), attachFlags()),
		ArgValidator:  commandOrStack,
		ShellComplete: completeStack,
		Action:        launch,
	}
}

// A launchResult is the output of launch --json.
type launchResult struct {
	Name      string            `json:"name"`            // name of the session
	SessionID string            `json:"sessionId"`       // id of the session
	Command   []string          `json:"command"`         // arguments of the command
	Cwd       string            `json:"cwd"`             // working directory at the start
	PID       int               `json:"pid"`             // main process
	Size      ledger.Size       `json:"size"`            // size of the terminal
	Status    string            `json:"status"`          // status of the session, as in ps
	Log       string            `json:"log,omitzero"`    // file with the newest output; absent with --no-record
	Labels    map[string]string `json:"labels"`          // labels of the session
	Created   bool              `json:"created"`         // false if --if-absent found a session
	Ready     *waitResult       `json:"ready,omitempty"` // with --ready or --stack: what came of the wait
	Ports     []list.Port       `json:"ports"`           // with --ready or --stack: ports of the session when it is ready
	Output    string            `json:"output"`          // the last lines of output, if the session ended before it was ready or --fail was true
	Hints     []string          `json:"hints"`           // what to do next, each a command line or a sentence
}

func launch(ctx context.Context, cmd *cli.Command) error {
	req, err := newLaunchRequest(ctx, cmd)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	req.advise(cmd, req.twin(ctx))
	client, created, err := req.start(ctx, signals)
	if err != nil {
		return err
	}
	defer client.Close()
	waiting, stop := endedBySignals(ctx, signals)
	defer stop()
	dir, err := ledger.Open(req.spec.Dir)
	if err != nil {
		return err
	}
	if !created && len(req.spec.Labels) > 0 {
		req.advise(cmd, fmt.Sprintf("session %q already runs: it keeps its labels", client.Session.Name))
	}
	if !created && req.spec.NoRecord && !client.Session.NoRecord {
		req.advise(cmd, fmt.Sprintf("session %q already runs, and its output is recorded", client.Session.Name))
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

// advise tells text, if it is not empty, as a message, or in the result with --json.
func (req *launchRequest) advise(cmd *cli.Command, text string) {
	if text != "" {
		note(cmd, "%s", text)
		req.hints = append(req.hints, text)
	}
}

// showLaunched prints the session. Its error says that the session is not ready.
func (req launchRequest) showLaunched(ctx context.Context, cmd *cli.Command, dir ledger.Dir, waited runner.Waited, created bool, took time.Duration) error {
	result := newLaunchResult(dir, waited.Session, created)
	if len(req.ready.Until) > 0 {
		ready := newWaitResult(waited, took)
		result.Ready = &ready
	}
	if (req.stack || cmd.Bool("json")) && len(waited.Met) > 0 {
		result.Ports = append(result.Ports, list.PortsOf(ctx, dir, result.SessionID)...)
	}
	notReady := req.notReady(ctx, cmd, dir, waited)
	if unready, ok := errors.AsType[*unreadyError](notReady); ok {
		result.Output = unready.output
	}
	result.Hints = append(append(result.Hints, req.hints...), launchHints(cmd, result.Name, notReady)...)
	if err := show(cmd, result, launchName); err != nil {
		return err
	}
	if !cmd.Bool("json") {
		sayListening(cmd, result)
	}
	return told(cmd, notReady)
}

// launchHints returns commands about a session that is not ready, for the reason err.
func launchHints(cmd *cli.Command, name string, err error) (hints []string) {
	devtools := devtoolsCommand(cmd)
	switch about, ok := errors.AsType[*sessionError](err); {
	case err == nil:
		return nil
	case ok && about.hint != "":
		return []string{about.hint}
	case !errors.Is(err, errUnmet): // it may still run
		hints = []string{devtools + " screen " + name}
	}
	return append(hints, devtools+" log "+name)
}

func newLaunchResult(dir ledger.Dir, s ledger.Session, created bool) launchResult {
	return launchResult{
		Name: s.Name, SessionID: s.ID, Command: s.Command, Cwd: s.Cwd, PID: s.Main.PID, Size: s.Size,
		Status: s.Status, Log: runner.LogPath(dir, s), Labels: labelsOf(s), Created: created,
		Ports: []list.Port{}, Hints: []string{},
	}
}

// launchName prints the name, for people and for scripts: name=$(devtools launch -- top).
func launchName(w io.Writer, r launchResult) error {
	_, err := fmt.Fprintln(w, r.Name)
	return err
}

// sayListening tells a person where the session listens.
func sayListening(cmd *cli.Command, r launchResult) {
	for _, p := range r.Ports {
		note(cmd, "%s listens on %s", r.Name, cmp.Or(p.URL, p.Address+" port "+strconv.Itoa(p.Port)))
	}
}
