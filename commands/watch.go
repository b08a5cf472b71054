package commands

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/guard"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/watch"
)

func watchCommand() *cli.Command {
	one := 1
	return &cli.Command{
		ArgsUsage: "[--] COMMAND [ARGUMENT…]",
		Description: `Starts COMMAND in a session, and restarts it when sources change: after the
build, when the old one has ended and its ports are free. It ignores what git
and .devtoolsignore ignore, and what tools write. {} in COMMAND stands for the
changed paths. Keys: r and Enter rebuild and restart, q and Enter end watch and
program.

EXAMPLES:
  devtools watch --build 'go build -o server .' -- ./server
  devtools watch --ext py --ready port:8000 -- python3 app.py

EXIT CODE: 0; with --once or --exit-on-error that of the build or the program;
  --changed-since: 0 changed, 1 unchanged, 2 failed`,
		CustomHelpTemplate: `PROGRAM: build ready name | stack timeout on-busy on-build-fail on-exit signal kill-after
SOURCES: path ext ignore | include no-gitignore no-builtins follow poll debounce
RUN: once | postpone exit-on-error clear stdin-close-exits tether yes
QUESTIONS: | changed-since token not-ours explain
SESSION: | cwd env secret inherit-env profile shell title max-log no-record cgroup isolation workspace allow-write net`,
		StopOnNthArg: &one,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "build", Usage: "run the shell line `LINE` before each start"},
			&cli.StringSliceFlag{Name: "ready", Usage: "the program is ready when any `CONDITION` is true"},
			&cli.StringFlag{Name: "timeout", Aliases: []string{"T"}, Usage: "report the program as not ready after `DURATION`; 0: never", Value: "2m"},
			oneOf(&cli.StringFlag{Name: "on-busy", Usage: "`ACTION` on a change: restart, queue, ignore, signal:SIGNAL", DefaultText: "by what COMMAND does"}, watch.BusyRestart, watch.BusyQueue, watch.BusyIgnore, watch.BusySignal+":SIGNAL"),
			oneOf(&cli.StringFlag{Name: "on-build-fail", Usage: "`ACTION` for the program if the build fails: keep-old, stop", Value: watch.BuildKeep}, watch.BuildKeep, watch.BuildStop),
			oneOf(&cli.StringFlag{Name: "on-exit", Usage: "`ACTION` for the program if a signal ends watch: keep, stop", Value: "keep"}, "keep", "stop"),
			&cli.StringFlag{Name: "signal", Aliases: []string{"s"}, Usage: "end the program with signal `NAME`", Value: "TERM"},
			&cli.StringFlag{Name: "kill-after", Aliases: []string{"k"}, Usage: "send KILL `DURATION` after that signal", Value: "10s"},
			&cli.StringFlag{Name: "debounce", Usage: "wait until nothing has changed for `DURATION`", Value: "75ms"},
			&cli.BoolFlag{Name: "postpone", Usage: "start nothing before the first change"},
			&cli.BoolFlag{Name: "once", Usage: "exit when the program is ready, or has ended"},
			&cli.BoolFlag{Name: "exit-on-error", Usage: "exit when the build or the program fails"},
			&cli.BoolFlag{Name: "clear", Usage: "clear the screen before each build"},
			yesFlag(),
			&cli.BoolFlag{Name: "stdin-close-exits", Usage: "exit when standard input is closed, as by a signal"},
			&cli.IntFlag{Name: "tether", Usage: "end watch and program 3s after process `PID` ends", HideDefault: true},
			stackFlag(),
		}, sourceFlags(), specFlags()),
		ArgValidator: watchArguments,
		Action:       watchAction,
	}
}

// sourceFlags returns the flags that say what is watched.
func sourceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "path", Aliases: []string{"w"}, Usage: "watch the file or directory `PATH`", DefaultText: "."},
		&cli.StringSliceFlag{Name: "ext", Usage: "watch only files that end in .`EXT`"},
		&cli.StringSliceFlag{Name: "ignore", Aliases: []string{"i"}, Usage: "ignore what `PATTERN` matches, as in .gitignore"},
		&cli.StringSliceFlag{Name: "include", Usage: "watch also what `PATTERN` matches"},
		&cli.BoolFlag{Name: "no-gitignore", Usage: "watch also what git ignores"},
		&cli.BoolFlag{Name: "no-builtins", Usage: "watch also what tools write: node_modules, *.db…"},
		&cli.BoolFlag{Name: "follow", Usage: "watch also the targets of links outside the tree"},
		&cli.BoolFlag{Name: "poll", Usage: "scan repeatedly; do not use file system events"},
		&cli.StringFlag{Name: "changed-since", Usage: "list what has changed since `TIME|TOKEN`, and exit"},
		&cli.BoolFlag{Name: "token", Usage: "print a token of the present state, for --changed-since"},
		&cli.BoolFlag{Name: "not-ours", Usage: "leave out what watch and run wrote, with --changed-since"},
		&cli.StringFlag{Name: "explain", Usage: "print the rule by which `PATH` is watched or ignored"},
	}
}

// questionFlags are the flags that ask a question.
var questionFlags = []string{"changed-since", "token", "explain"}

// asksOnce reports whether the command line asks a question and does not watch.
func asksOnce(cmd *cli.Command) bool { return firstGiven(cmd, questionFlags) != "" }

// watchRules are the rules about the flags of watch.
var watchRules = []flagRule{
	{flags: []string{"explain"}, without: []string{"changed-since", "token"}},
	{flags: []string{"not-ours"}, needs: []string{"changed-since"}},
	{flags: []string{"on-build-fail"}, needs: []string{"build"}},
}

func watchArguments(ctx context.Context, cmd *cli.Command) error {
	if err := checkFlags(cmd, watchRules); err != nil {
		return err
	}
	switch {
	case asksOnce(cmd):
		if name := setOutside(cmd, sourceFlags()); name != "" {
			return usagef("watch: --%s cannot be used with --%s, which watches nothing", name, firstGiven(cmd, questionFlags))
		}
		return noName(cmd, firstGiven(cmd, questionFlags))
	case cmd.IsSet("stack"):
		return commandOrStack(ctx, cmd)
	}
	return arguments(1, 1<<20, "a command")(ctx, cmd)
}

// setOutside returns the name of a flag that is set but is not in those. It returns "" if there is none.
func setOutside(cmd *cli.Command, those []cli.Flag) string {
	for _, flag := range cmd.Flags {
		name := flag.Names()[0]
		if flag.IsSet() && !slices.ContainsFunc(those, func(f cli.Flag) bool { return f.Names()[0] == name }) {
			return name
		}
	}
	return ""
}

func watchAction(ctx context.Context, cmd *cli.Command) error {
	if asksOnce(cmd) {
		return watchOnce(ctx, cmd)
	}
	if err := checkFields(cmd, watch.Event{}); err != nil {
		return err
	}
	config, keep, err := newWatch(ctx, cmd)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	ignoreBrokenPipes()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, endSignals()...)
	defer signal.Stop(signals)
	redo, hurry, ended := make(chan struct{}, 1), make(chan struct{}), make(chan os.Signal, 1)
	config.Redo, config.Hurry = redo, hurry
	go func() {
		sig := <-signals
		ended <- sig
		end(endOf(sig, keep))
		<-signals // a second signal means that the user does not want to wait
		close(hurry)
	}()
	go watchKeys(cmd, redo, keep, end)
	defer watchRestarts(redo)()
	view := newWatchView(cmd, config)
	config.Tell, config.Mask = view.tell, matcher(config.Program.Secrets).String
	if !cmd.Bool("json") {
		config.Show = view.show(config.Program)
	}
	err = watch.Run(ctx, config)
	view.close()
	if failed, ok := errors.AsType[*watch.FailedError](err); ok {
		return exitCode(failed.Code)
	}
	if failed, ok := errors.AsType[*watch.StartError](err); ok {
		return &startError{failed}
	}
	if !endedAsAsked(err) {
		return err
	}
	select {
	case sig := <-ended:
		endBy(sig)
	default:
	}
	return nil
}

// errSignalled and errClosed end a watch whose program continues.
var (
	errSignalled = errors.New("told to end by a signal")
	errClosed    = errors.New("standard input is closed")
)

// endOf returns the cause of a watch's end by a signal. With keep its program continues, unless the signal comes from a
// person.
func endOf(sig os.Signal, keep bool) error {
	switch {
	case sig == os.Interrupt:
		return watch.ErrQuit
	case keep:
		return errSignalled
	}
	return watch.ErrStop
}

// endedAsAsked reports whether a watch has ended because a person or a signal asked for it, or because all was done.
func endedAsAsked(err error) bool {
	return err == nil || slices.ContainsFunc([]error{watch.ErrQuit, watch.ErrStop, watch.ErrTaken, errSignalled, errClosed}, func(asked error) bool {
		return errors.Is(err, asked)
	})
}

// newWatch reads the command line.
func newWatch(ctx context.Context, cmd *cli.Command) (c watch.Config, keep bool, err error) {
	if c.KillAfter, err = duration(cmd, "kill-after"); err != nil {
		return c, false, err
	}
	if c.Debounce, err = duration(cmd, "debounce"); err != nil {
		return c, false, err
	}
	ready, err := readWait(cmd, "ready")
	if err != nil {
		return c, false, err
	}
	c.Ready, c.ReadyTimeout = ready.Until, ready.Timeout
	if c.BuildFailed, err = choice(cmd, "on-build-fail"); err != nil {
		return c, false, err
	}
	onExit, err := choice(cmd, "on-exit")
	if err != nil {
		return c, false, err
	}
	c.Signal = strings.TrimPrefix(strings.ToUpper(cmd.String("signal")), "SIG")
	if _, err := proc.ParseSignal(c.Signal); err != nil {
		return c, false, badSignal("--signal", c.Signal, err)
	}
	c.Postpone, c.Once, c.ExitOnError = cmd.Bool("postpone"), cmd.Bool("once"), cmd.Bool("exit-on-error")
	if err := readWatchProgram(ctx, cmd, &c); err != nil {
		return c, false, err
	}
	if c.Sources, err = readSources(cmd); err != nil {
		return c, false, err
	}
	if err := judge(cmd, c.Program.Dir, func() []guard.Call { return watchCalls(&c) }); err != nil {
		return c, false, err
	}
	err = orInStateHome(cmd, &c.Program.Dir, func() (err error) {
		c.Dir, err = ledger.Create(c.Program.Dir)
		return err
	})
	if err != nil {
		return c, false, &startError{err}
	}
	c.Dir = c.Dir.By(track.Self())
	identify(cmd, &c)
	return c, onExit == "keep", nil
}
