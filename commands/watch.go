package commands

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/watch"
)

func watchCommand() *cli.Command {
	one := 1
	return &cli.Command{
		Name:      "watch",
		Usage:     "build and relaunch a program when its sources change, or ask once whether they have",
		ArgsUsage: "[--] COMMAND [ARGUMENT…] | --changed-since TIME|TOKEN | --explain PATH",
		Description: "Starts COMMAND in a session and replaces it when sources change: the build runs first and the old program\n" +
			"goes on until it has succeeded; then that is ended with all that it started, its ports are free, and the\n" +
			"new one starts. What git ignores is not watched, nor what tools and programs make (dist, *.log, *.db), nor\n" +
			"what .devtoolsignore names. When watch ends by a signal the program goes on, and the next watch takes it\n" +
			"over. An argument {} stands for what has changed; with it nothing is run before the first change.\n\n" +
			"Typed with Enter: r has all be done again, q ends watch and program.\n\n" +
			"Example: devtools watch --build 'go build -o server .' --ready port:8080 -- ./server\n\n" +
			"Exit code: 0; with --once and --exit-on-error that of the build or the program. --changed-since: 0 changed,\n" +
			"1 unchanged, 2 failed.",
		StopOnNthArg: &one,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "build", Usage: "run `LINE` of the shell first; when it fails the old program goes on"},
			&cli.StringSliceFlag{Name: "ready", Usage: "the program is ready when the `CONDITION` is true; of several when any is"},
			&cli.StringFlag{Name: "timeout", Usage: "how long it may take until then: `DURATION`, 0 is for ever", Value: "2m"},
			&cli.StringFlag{Name: "on-busy", Usage: "on a change while it runs `restart`, queue, ignore or signal:NAME (default: by what it does)"},
			&cli.StringFlag{Name: "on-build-fail", Usage: "`keep-old` program or stop it", Value: watch.BuildKeep},
			&cli.StringFlag{Name: "on-exit", Usage: "when watch ends by a signal, `keep` the program running or stop it", Value: "keep"},
			&cli.StringFlag{Name: "signal", Usage: "end the program with the signal `NAME`", Value: "TERM"},
			&cli.StringFlag{Name: "kill-after", Usage: "send KILL `DURATION` after that", Value: "10s"},
			&cli.StringFlag{Name: "debounce", Usage: "act when nothing has changed for `DURATION`", Value: "75ms"},
			&cli.BoolFlag{Name: "postpone", Usage: "do nothing before the first change"},
			&cli.BoolFlag{Name: "once", Usage: "end when the program is ready, or has ended by itself"},
			&cli.BoolFlag{Name: "exit-on-error", Usage: "end when the build or the program fails"},
			&cli.BoolFlag{Name: "clear", Usage: "clear the screen before each build"},
			&cli.BoolFlag{Name: "stdin-close-exits", Usage: "end as by a signal when standard input is closed"},
			&cli.IntFlag{Name: "tether", Usage: "end the program when the process `PID` has ended", HideDefault: true},
			stackFlag(),
		}, sourceFlags(), specFlags()),
		ArgValidator:  watchArguments,
		ShellComplete: completeStack,
		Action:        watchAction,
	}
}

// sourceFlags returns the flags that say what is watched.
func sourceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "path", Usage: "watch the file or folder `PATH` (default: the working directory)"},
		&cli.StringSliceFlag{Name: "ext", Usage: "only files that end in .`EXT`"},
		&cli.StringSliceFlag{Name: "ignore", Usage: "not what the `PATTERN` matches, as a line of .gitignore"},
		&cli.StringSliceFlag{Name: "include", Usage: "also what the `PATTERN` matches"},
		&cli.BoolFlag{Name: "no-gitignore", Usage: "also what git ignores"},
		&cli.BoolFlag{Name: "no-builtins", Usage: "also node_modules, *.db and what else tools make"},
		&cli.BoolFlag{Name: "follow", Usage: "also the targets of links that lead out of the tree"},
		&cli.BoolFlag{Name: "poll", Usage: "look again and again, without events of the file system"},
		&cli.StringFlag{Name: "changed-since", Usage: "tell once whether sources have changed since `TIME`, or since a token"},
		&cli.BoolFlag{Name: "token", Usage: "print a token of the state of the sources, for --changed-since"},
		&cli.BoolFlag{Name: "not-ours", Usage: "with --changed-since, without what builds of watch and commands of run have written"},
		&cli.StringFlag{Name: "explain", Usage: "tell by which rule `PATH` is watched or not"},
	}
}

// asksOnce reports whether the command line asks a question and does not watch.
func asksOnce(cmd *cli.Command) bool {
	return cmd.IsSet("changed-since") || cmd.Bool("token") || cmd.IsSet("explain")
}

func watchArguments(ctx context.Context, cmd *cli.Command) error {
	switch {
	case cmd.IsSet("explain") && (cmd.IsSet("changed-since") || cmd.Bool("token")):
		return usagef("--explain answers by itself: it goes with neither --changed-since nor --token")
	case cmd.Bool("not-ours") && !cmd.IsSet("changed-since"):
		return usagef("--not-ours needs --changed-since")
	case asksOnce(cmd):
		if name := setOutside(cmd, sourceFlags()); name != "" {
			return usagef("--%s is for watching: it does not go with --changed-since, --token and --explain", name)
		}
		return noArguments(ctx, cmd)
	case cmd.IsSet("on-build-fail") && !cmd.IsSet("build"):
		return usagef("--on-build-fail needs --build")
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
	config, keep, err := newWatch(ctx, cmd)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	outliveReaders()
	signals := watchSignals()
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
	view := newWatchView(cmd, config)
	config.Tell = view.tell
	if !cmd.Bool("json") {
		config.Show = view.show(config.Program)
	}
	err = watch.Run(ctx, config)
	view.close()
	if failed, ok := errors.AsType[*watch.FailedError](err); ok {
		return exitCode(failed.Code)
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

// watchSignals catches the signals that end a watch, except those that the caller ignores on purpose, as nohup does and
// & in scripts.
func watchSignals() chan os.Signal {
	signals := make(chan os.Signal, 8)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	return signals
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
	return err == nil || slices.ContainsFunc([]error{watch.ErrQuit, watch.ErrStop, errSignalled, errClosed}, func(asked error) bool {
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
	if c.BuildFailed, err = choice(cmd, "on-build-fail", watch.BuildKeep, watch.BuildStop); err != nil {
		return c, false, err
	}
	onExit, err := choice(cmd, "on-exit", "keep", "stop")
	if err != nil {
		return c, false, err
	}
	c.Signal = strings.TrimPrefix(strings.ToUpper(cmd.String("signal")), "SIG")
	if _, err := proc.ParseSignal(c.Signal); err != nil {
		return c, false, usagef("--signal: %v", err)
	}
	c.Postpone, c.Once, c.ExitOnError = cmd.Bool("postpone"), cmd.Bool("once"), cmd.Bool("exit-on-error")
	if err := readWatchProgram(ctx, cmd, &c); err != nil {
		return c, false, err
	}
	if c.Sources, err = readSources(cmd); err != nil {
		return c, false, err
	}
	if c.Dir, err = ledger.Create(c.Program.Dir); err != nil {
		return c, false, &startError{err}
	}
	c.Dir = c.Dir.By(track.Self())
	identify(cmd, &c)
	return c, onExit == "keep", nil
}
