package commands

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/wire"
)

func runCommand() *cli.Command {
	one := 1
	return &cli.Command{
		ArgsUsage: "[--] COMMAND [ARGUMENT…]",
		Description: "Runs COMMAND in its own terminal. It returns when the main process has exited, all its descendants are\n" +
			"gone or listed (--grace), and the last byte of output is read. A single argument with blanks or shell\n" +
			"characters is a line for the shell. LANGUAGE is python, typescript, javascript, ruby or shell.\n" +
			"The command continues when devtools is killed, when the timeout is over, or when it waits for input: run then\n" +
			"prints its question. Reach it by its name with ps, log, send-keys, attach, wait, kill and run --resume.\n\n" +
			"Example: devtools run --timeout 10m -- make test\n\n" +
			"Exit code: that of the command; 128+n if signal n ended it; 120 it waits for input, 121 it still runs,\n" +
			"122 --fail, 124 timed out, 125 not started, 126 not executable, 127 not found.",
		StopOnNthArg: &one,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "timeout", Aliases: []string{"T"}, Usage: "return after `DURATION`; 0: never", DefaultText: "2m, at a terminal never", Sources: cli.EnvVars("DEVTOOLS_TIMEOUT")},
			&cli.StringFlag{Name: "on-timeout", Usage: "`ACTION` at the timeout: keep or kill the command", Value: "keep"},
			&cli.StringFlag{Name: "kill-after", Aliases: []string{"k"}, Usage: "send KILL `DURATION` after TERM", Value: "5s"},
			&cli.StringFlag{Name: "resume", Usage: "wait again for session `NAME`, and print its new output"},
			&cli.StringFlag{Name: "wait", Usage: "`EVENT` to wait for: completion, or background for none", Value: "completion"},
			&cli.StringSliceFlag{Name: "until", Aliases: []string{"u"}, Usage: "return when `CONDITION` is true, as for wait; of several, any"},
			&cli.StringFlag{Name: "grace", Usage: "wait `DURATION` for descendants, longer while they print", Value: "3s"},
			&cli.StringFlag{Name: "leftovers", Usage: "`ACTION` for processes left after that: report, wait or kill", Value: wire.LeftoversReport},
			&cli.StringFlag{Name: "lang", Usage: "run code in `LANGUAGE`, from a file or standard input"},
			&cli.StringFlag{Name: "in", Aliases: []string{"t"}, Usage: "run in the shell or REPL of session `NAME`; cd persists"},
			&cli.BoolFlag{Name: "stdin", Usage: "pass standard input, a pipe or a file, to the command"},
			&cli.BoolFlag{Name: "no-pty", Usage: "use pipes, not a terminal; keep stdout and stderr apart"},
			&cli.StringFlag{Name: "size", Usage: "size of the terminal: `COLSxROWS`", DefaultText: "as the caller's, otherwise 80x24"},
			&cli.BoolFlag{Name: "raw", Usage: "print the bytes of the terminal unchanged"},
			&cli.StringFlag{Name: "max-output", Usage: "print at most `BYTES` of output, head and tail; 0: all", DefaultText: "all, with --json 64KiB"},
			stackFlag(),
		}, conditionFlags(), inputFlags(), specFlags()),
		ArgValidator:  commandOrScript,
		ShellComplete: completeStack,
		Action:        run,
	}
}

// A runRequest is the meaning of the flags of run.
type runRequest struct {
	spec       wire.Spec
	background bool
	timeout    time.Duration
	keep       bool // let the command continue after the timeout
	raw        bool
	shown      bool // the output goes to a terminal
	viewed     bool // keys and output pass between a person's terminal and the command
	maxOutput  int64
	input      runner.InputOptions
	until      runner.Wait // conditions with which run returns
	from       int64       // offset of the first output to print
	given      []string    // the command as given
	advice     *advice
	script     string // file with the code from standard input
}

// dropScript deletes the saved code of a command that could not be started.
func (req *runRequest) dropScript() {
	if req.script != "" {
		_ = os.Remove(req.script)
	}
}

// killSlack is how long the end of a command may take after KILL was sent.
const killSlack = 5 * time.Second

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
	signals := catchSignals()
	defer signal.Stop(signals)
	stdin, _ := cmd.Root().Reader.(*os.File)
	advised := make(chan *advice, 1)
	client, err := startSession(ctx, req.spec, stdin, signals, func() {
		go func() { advised <- req.advise(cmd, req.given) }()
	})
	if err != nil {
		if !errors.Is(err, context.Canceled) { // otherwise the command may have started
			req.dropScript()
		}
		return err
	}
	defer client.Close()
	if req.background {
		return showBackground(cmd, client.Session)
	}
	opts := runner.RunOptions{Signals: signals, Timeout: req.timeout, Until: req.until}
	if !req.keep && req.timeout > 0 {
		// The holder ends the command. But it may lack the permission to signal it. The wait ends even then.
		opts.Timeout += req.spec.KillAfter + killSlack
	}
	if req.viewed {
		opts.Terminal = stdin
	}
	req.advice = <-advised
	req.advice.say(cmd)
	return waitForRun(ctx, cmd, client, req, newRunOutput(cmd, req), opts)
}

// waitForRun waits for the command of a session. It prints the output and what became of the command.
func waitForRun(ctx context.Context, cmd *cli.Command, client *runner.Client, req runRequest, out *runOutput, opts runner.RunOptions) error {
	opts.Sink, opts.From, opts.Input, opts.Grace = out.sink(), req.from, req.input, req.spec.KillAfter
	result, err := client.Run(ctx, opts)
	if err != nil {
		if err = brokenPipe(err); !isA[exitCode](err) {
			err = errors.Join(err, out.close(cmd, client.Session.Name)) // the output so far is still useful
			note(cmd, "session %q may still run", client.Session.Name)
		}
		return err
	}
	return showRun(ctx, cmd, req, out, result)
}

// catchSignals catches the signals that end a wait.
func catchSignals() chan os.Signal {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a closed pipe is an error to handle; it must not end this process
	return signals
}

// startPatience is how long a start may still take after a signal that asks to end it.
const startPatience = 500 * time.Millisecond

// startSession starts the session, and calls meanwhile while the holder does so. A signal ends the wait for the start, and then devtools itself.
func startSession(ctx context.Context, spec wire.Spec, stdin *os.File, signals chan os.Signal, meanwhile func()) (*runner.Client, error) {
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
	client, err := s.Start(ctx, spec, stdin)
	close(started)
	switch sig := <-stopped; {
	case sig == nil && err == nil:
		return client, nil
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
	return runner.Prepare()
}

// newRunRequest parses the command line and finds the program. So a command that cannot run leaves nothing behind.
func newRunRequest(ctx context.Context, cmd *cli.Command) (req runRequest, err error) {
	if err := req.readChoices(cmd); err != nil {
		return req, err
	}
	if err := req.readLimits(cmd); err != nil {
		return req, err
	}
	if err := req.readTerminal(cmd); err != nil {
		return req, err
	}
	if err := req.readUntil(cmd); err != nil {
		return req, err
	}
	switch {
	case req.spec.NoTerminal:
		err = withoutTerminal(cmd, "--no-pty")
	case req.background:
		err = withoutTerminal(cmd, "--wait background")
	default:
		req.input, err = readInputOptions(cmd, req.viewed)
		if !cmd.IsSet("on-input") && req.input.OnInput != "" && slices.ContainsFunc(req.until.Until, condition.Condition.AboutInput) {
			req.input.OnInput = runner.OnInputWait // otherwise one event would end run in two ways
		}
	}
	if err != nil {
		return req, err
	}
	args := cmd.Args().Slice()
	if cmd.IsSet("stack") {
		c, err := findStackCommand(ctx, cmd, &req.spec)
		if err != nil {
			return req, err
		}
		args = c.Argv
	}
	if err := readSpec(cmd, &req.spec, req.preset()...); err != nil {
		return req, err
	}
	if cmd.IsSet("lang") {
		given := len(args) > 0 && args[0] != "-"
		var env []string
		if args, env, err = scriptCommand(cmd, &req.spec, args); err != nil {
			return req, err
		}
		if !given {
			req.script = args[len(args)-1-max(0, cmd.Args().Len()-1)]
		}
		req.spec.Env = lastOfEach(append(req.spec.Env, env...))
	}
	req.given = args
	return req, readCommand(cmd, &req.spec, cmd.String("shell"), args)
}

func (req *runRequest) readChoices(cmd *cli.Command) error {
	wait, err := choice(cmd, "wait", "completion", "background")
	if err != nil {
		return err
	}
	onTimeout, err := choice(cmd, "on-timeout", "keep", "kill")
	if err != nil {
		return err
	}
	req.background, req.keep = wait == "background", onTimeout == "keep"
	req.spec.Foreground, req.spec.Shell = !req.background, req.background
	req.spec.Leftovers, err = choice(cmd, "leftovers", wire.LeftoversReport, wire.LeftoversWait, wire.LeftoversKill)
	return err
}

// untilRules are the rules about --until.
var untilRules = []flagRule{
	{flags: []string{"all", "fail"}, needs: []string{"until"}},
	{flags: []string{"until"}, without: []string{"no-pty"}, reason: "without a terminal there is no screen"},
}

// readUntil reads the conditions with which run returns.
func (req *runRequest) readUntil(cmd *cli.Command) (err error) {
	if err := checkFlags(cmd, untilRules); err != nil {
		return err
	}
	if req.until, err = readConditions(cmd, "until"); err != nil {
		return err
	}
	if req.until.FromStart = true; req.background && len(req.until.Until) > 0 {
		return usagef("run: --until cannot be used with --wait background: run returns at once")
	}
	return nil
}

func (req *runRequest) readLimits(cmd *cli.Command) (err error) {
	s := &req.spec
	if s.Grace, err = duration(cmd, "grace"); err != nil {
		return err
	}
	if s.KillAfter, err = duration(cmd, "kill-after"); err != nil {
		return err
	}
	if cmd.String("timeout") != "" {
		if req.timeout, err = duration(cmd, "timeout"); err != nil {
			return err
		}
	} else if stdin, ok := cmd.Root().Reader.(*os.File); !ok || !term.IsTerminal(int(stdin.Fd())) {
		req.timeout = 2 * time.Minute
	}
	if !req.keep {
		s.TimeLimit = req.timeout
	}
	if cmd.Bool("json") {
		req.maxOutput = 64 << 10
	}
	if cmd.String("max-output") != "" {
		req.maxOutput, err = byteCount(cmd, "max-output")
	}
	return err
}

// readTerminal decides whether the command has a terminal, how large it is, and whether a person's terminal is in
// front of it.
func (req *runRequest) readTerminal(cmd *cli.Command) (err error) {
	s := &req.spec
	s.NoTerminal, s.Stdin, req.raw = cmd.Bool("no-pty"), cmd.Bool("stdin"), cmd.Bool("raw")
	stdin, ok := cmd.Root().Reader.(*os.File)
	person := ok && term.IsTerminal(int(stdin.Fd()))
	stdout, ok := cmd.Root().Writer.(*os.File)
	req.shown = ok && term.IsTerminal(int(stdout.Fd())) && !cmd.Bool("json") && !req.background
	if s.Stdin && person {
		return usagef("--stdin: standard input is a terminal: leave out --stdin, and run passes its keys on")
	}
	req.viewed = person && req.shown && !s.NoTerminal && !s.Stdin
	s.Viewed = req.viewed
	req.raw = req.raw || req.shown
	s.Size = ledger.Size{Cols: 80, Rows: 24}
	switch {
	case cmd.String("size") != "":
		s.Size, err = parseSize("--size", cmd.String("size"))
	case req.shown:
		s.Size = sizeOf(stdout)
	}
	return err
}

// preset returns the variables that the command gets unless --env sets them. A command whose output goes to a program
// must not show it page by page.
func (req *runRequest) preset() []string {
	if req.shown || req.background {
		return nil
	}
	return noPagers
}
