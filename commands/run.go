package commands

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/runner"
	"devtools/runner/sandbox"
	"devtools/runner/wire"
)

func runCommand() *cli.Command {
	one := 1
	return &cli.Command{
		ArgsUsage: "[--] COMMAND [ARGUMENT…]",
		Description: `Runs COMMAND, or one shell line, in its own terminal until all that it started
has ended. When it waits for input, or after the timeout, run returns. COMMAND
then goes on as a session, for log, send-keys, attach, wait and run --resume.

EXAMPLES:
  devtools run --timeout 10m -- make test
  devtools run --answer 'Name:=Ada' -- ./setup

EXIT CODE: that of COMMAND, 128+n after signal n; 120 it waits for input, 121 it
  still runs, 122 --fail, 124 timeout (see doctor NAME), 125-127 not started`,
		CustomHelpTemplate: `WAITING: timeout until resume | all fail wait on-timeout kill-after grace leftovers on-exit
INPUT: answer stdin | answer-each answer-file on-input min-confidence
OUTPUT: | max-output max-lines raw max-log no-record
COMMAND: in name env | secret cwd stack lang shell profile inherit-env no-pty size title
LIMITS: | tether idle-limit max-sessions cgroup isolation workspace allow-write net share yes`,
		StopOnNthArg: &one,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "timeout", Aliases: []string{"T"}, Usage: "return after `DURATION`; 0: never", DefaultText: "2m, at a terminal never", Sources: cli.EnvVars("DEVTOOLS_TIMEOUT")},
			oneOf(&cli.StringFlag{Name: "on-timeout", Usage: "`ACTION` at the timeout: keep or kill the command", Value: "keep"}, "keep", "kill"),
			&cli.StringFlag{Name: "kill-after", Aliases: []string{"k"}, Usage: "send KILL `DURATION` after TERM", Value: "5s"},
			&cli.StringFlag{Name: "resume", Usage: "wait again for session `NAME`, and print its new output"},
			oneOf(&cli.StringFlag{Name: "wait", Usage: "`EVENT` to wait for: completion, background[:DURATION]", Value: "completion"}, "completion", "background", "background:DURATION"),
			&cli.StringSliceFlag{Name: "until", Aliases: []string{"u"}, Usage: "return when any `CONDITION` of wait is true"},
			&cli.StringFlag{Name: "grace", Usage: "wait `DURATION` for descendants, longer while they print", Value: "3s"},
			oneOf(&cli.StringFlag{Name: "leftovers", Usage: "`ACTION` for leftovers: report, wait or kill", Value: wire.LeftoversReport}, wire.LeftoversReport, wire.LeftoversWait, wire.LeftoversKill),
			onExitFlag(),
			yesFlag(),
			&cli.StringFlag{Name: "lang", Usage: "run `LANGUAGE`: python, typescript, javascript, ruby, shell"},
			&cli.StringFlag{Name: "in", Aliases: []string{"t"}, Usage: "run in the shell or REPL of session `NAME`; cd persists"},
			&cli.BoolFlag{Name: "stdin", Usage: "pass standard input, a pipe or a file, to the command"},
			&cli.BoolFlag{Name: "no-pty", Usage: "use pipes, not a terminal; keep stdout and stderr apart"},
			&cli.StringFlag{Name: "size", Usage: "size of the terminal: `COLSxROWS`", DefaultText: "as the caller's, otherwise 80x24"},
			&cli.BoolFlag{Name: "raw", Usage: "print the bytes of the terminal unchanged"},
			&cli.StringFlag{Name: "max-output", Usage: "print at most `BYTES` of output, head and tail; 0: all", DefaultText: "all, with --json 64KiB"},
			&cli.IntFlag{Name: "max-lines", Usage: "print at most `N` lines of output, head and tail; 0: all", HideDefault: true},
			stackFlag(),
		}, conditionFlags(), inputFlags(), lifeFlags("with --wait background: refuse if `N` sessions run; 0: never"), specFlags()),
		ArgValidator: commandOrScript,
		Action:       run,
	}
}

func run(ctx context.Context, cmd *cli.Command) error {
	switch {
	case cmd.IsSet("resume"):
		return runResume(ctx, cmd)
	case cmd.IsSet("in"):
		return runIn(ctx, cmd)
	}
	if err := checkFields(cmd, runResult{}); err != nil {
		return err
	}
	req, err := newRunRequest(ctx, cmd)
	if err != nil {
		return err
	}
	if err := judge(cmd, req.spec.Dir, req.calls); err != nil {
		return err
	}
	signals := catchSignals()
	defer signal.Stop(signals)
	stdin, _ := cmd.Root().Reader.(*os.File)
	advised := make(chan *advice, 1)
	if req.background {
		req.spec.EndsWith = sandbox.Around().Ends
	}
	asked := req // start may change req
	client, err := req.start(ctx, cmd, signals, func() {
		go func() { advised <- asked.advise(cmd, asked.given) }()
	})
	if err != nil {
		return err
	}
	defer client.Close()
	if req.returnsAtOnce() {
		return showBackground(ctx, cmd, client.Dir, client.Session, req.spec.Withheld)
	}
	opts := runner.RunOptions{Signals: signals, Timeout: req.timeout, Until: req.until}
	if !req.keep && req.timeout > 0 {
		// The holder ends the command. But it may lack the permission to signal it. The wait ends even then.
		opts.Timeout += req.spec.KillAfter + runner.KillPatience
	}
	opts.KillLate = func() bool {
		return req.keep && !req.background && !cmd.IsSet("on-timeout") && callEndOf(client.Session).EndsWithCall
	}
	if req.background {
		opts.Timeout = req.window
	}
	if req.viewed {
		opts.Terminal = stdin
	}
	req.advice = <-advised
	req.advice.say(cmd)
	return waitForRun(ctx, cmd, client, req, newRunOutput(cmd, req), opts)
}

// start starts the session. Where its folder or a terminal cannot be had, it starts without, if the command can do with that.
func (req *runRequest) start(ctx context.Context, cmd *cli.Command, signals chan os.Signal, meanwhile func()) (client *runner.Client, err error) {
	do := func() error {
		if err = req.saveScript(); err == nil {
			client, err = startSession(ctx, req.spec, signals, meanwhile)
		}
		return err
	}
	if err = orInStateHome(cmd, &req.spec.Dir, do); err != nil && req.useMemory(cmd, err) {
		err = do()
	}
	if err != nil && req.usePipes(cmd, err) {
		stdin, _ := cmd.Root().Reader.(*os.File)
		again := runner.Prepare(stdin) // the first holder has ended
		defer again.Close()
		ctx, meanwhile = context.WithValue(ctx, starterKey{}, again), nil
		err = do()
	}
	if err != nil && !errors.Is(err, context.Canceled) { // otherwise the command may have started
		req.dropScript()
	}
	return client, err
}

// waitForRun waits for the command of a session. It prints the output and what became of the command.
func waitForRun(ctx context.Context, cmd *cli.Command, client *runner.Client, req runRequest, out *runOutput, opts runner.RunOptions) error {
	opts.Sink, opts.From, opts.Input, opts.Grace = out.sink(), req.from, req.input, req.spec.KillAfter
	opts.Callers = req.callers
	var why atomic.Value
	if req.timeout >= lookBefore && req.keep && !req.background {
		defer lookForReason(ctx, client, req.timeout, &why)()
	}
	result, err := client.Run(ctx, opts)
	if err != nil {
		if err = brokenPipe(err); !isA[exitCode](err) {
			err = errors.Join(err, out.close(cmd, client.Session.Name)) // the output so far is still useful
			note(cmd, "session %q may still run", client.Session.Name)
		}
		return lostOutput(cmd, client.Session.Name, err)
	}
	req.why, _ = why.Load().(string)
	if req.background && result.Status == runner.TimedOut {
		result.Status = runner.Running
	}
	if err = showRun(ctx, cmd, client.Dir, req, out, result); !result.Session.Ended() {
		err = lostOutput(cmd, client.Session.Name, err)
	}
	return err
}

// catchSignals catches the signals that end a wait.
func catchSignals() chan os.Signal {
	signals := make(chan os.Signal, 8)
	catchIn(signals)
	return signals
}

// catchIn catches the signals that end a wait in a channel.
func catchIn(signals chan os.Signal) {
	signal.Notify(signals, endSignals(syscall.SIGQUIT)...)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a closed pipe is an error to handle; it must not end this process
}

// startPatience is how long a start may still take after a signal that asks to end it.
const startPatience = 500 * time.Millisecond

// startSession starts the session, and calls meanwhile while the holder does so. A signal ends the wait for the start, and then devtools itself.
func startSession(ctx context.Context, spec wire.Spec, signals chan os.Signal, meanwhile func()) (*runner.Client, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	started := make(chan struct{})
	stopped := make(chan os.Signal, 1)
	go func() {
		defer close(stopped)
		select {
		case sig := <-signals:
			select {
			case <-started: // a start takes milliseconds; then devtools can say what is running
			case <-time.After(startPatience):
				cancel()
			}
			stopped <- sig
		case <-started:
		}
	}()
	s := starter(ctx)
	s.Meanwhile = meanwhile
	client, err := s.Start(ctx, spec)
	close(started)
	switch sig := <-stopped; {
	case sig == nil && err == nil:
		return client, nil
	case sig == nil && errors.Is(err, wire.ErrNameTaken):
		return nil, &sessionError{err: &startError{err}, name: spec.Name}
	case sig == nil:
		return nil, &startError{err}
	case err == nil:
		select { // the signal came too late to end the start; it is now for the command
		case signals <- sig:
		default: // as many signals are already waiting
		}
		return client, nil
	default:
		endBy(sig)
		return nil, context.Canceled
	}
}

// starter returns the holder that Main has begun to start.
func starter(ctx context.Context) *runner.Starter {
	if s, ok := ctx.Value(starterKey{}).(*runner.Starter); ok {
		return s
	}
	return runner.Prepare(nil)
}
