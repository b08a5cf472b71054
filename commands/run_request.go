package commands

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// A runRequest is the meaning of the flags of run.
type runRequest struct {
	spec       wire.Spec
	background bool
	window     time.Duration // with background: how long run passes on the output before it returns
	timeout    time.Duration
	keep       bool // let the command continue after the timeout
	raw        bool
	shown      bool // the output goes to a terminal
	viewed     bool // keys and output pass between a person's terminal and the command
	maxOutput  int64
	maxLines   int
	input      runner.InputOptions
	until      runner.Wait // conditions with which run returns
	from       int64       // offset of the first output to print
	given      []string    // the command as given
	advice     *advice
	code       *script // with --lang
	callers    []proc.ID
	why        string // the command had not ended shortly before the timeout
}

// saveScript saves code from standard input.
func (req *runRequest) saveScript() error {
	if req.code == nil {
		return nil
	}
	err := req.code.save(&req.spec)
	req.given = req.code.command()
	req.spec.Command = req.given
	return err
}

// dropScript deletes the saved code of a command that could not be started.
func (req *runRequest) dropScript() {
	if req.code != nil && req.code.code != nil {
		_ = os.Remove(req.code.path)
	}
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
	case req.returnsAtOnce():
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
	if err := readOnExit(cmd, &req.spec); err != nil {
		return req, err
	}
	if cmd.IsSet("lang") {
		if req.code, err = readScript(cmd, &req.spec, args); err != nil {
			return req, err
		}
		args = req.code.command()
		req.spec.Env = lastOfEach(append(req.spec.Env, req.code.interp.Env...))
	}
	req.given = knownMatcher().List(args)
	err = readCommand(cmd, &req.spec, cmd.String("shell"), args)
	stages, _ := stagesOf(req.spec.Command)
	req.spec.Stages = len(stages)
	return req, err
}

func (req *runRequest) readChoices(cmd *cli.Command) error {
	if isPipe(cmd.Root().Writer) || isPipe(cmd.Root().ErrWriter) {
		req.callers = proc.Ancestors() // as early as possible: one that has ended by now would be missing
	}
	if err := req.readWait(cmd); err != nil {
		return err
	}
	onTimeout, err := choice(cmd, "on-timeout")
	if err != nil {
		return err
	}
	req.keep = onTimeout == "keep"
	req.spec.Foreground, req.spec.Shell = !req.background, req.background
	if req.background {
		if err := readMaxSessions(cmd, &req.spec); err != nil {
			return err
		}
	} else if cmd.IsSet("max-sessions") {
		return usagef("run: --max-sessions needs --wait background: a run that waits for its command is never refused")
	}
	if err := readLifeFlags(cmd, &req.spec); err != nil {
		return err
	}
	req.spec.Leftovers, err = choice(cmd, "leftovers")
	return err
}

// readWait reads what to wait for: completion, background for nothing, or background:DURATION for that time.
func (req *runRequest) readWait(cmd *cli.Command) (err error) {
	word, window, timed := strings.Cut(cmd.String("wait"), ":")
	if timed && word == "background" {
		if req.window, err = parseDuration(window); err != nil {
			return usagef("--wait: %v", err)
		}
	} else if timed || word != "background" && word != "completion" {
		_, err = choice(cmd, "wait")
		return err
	}
	req.background = word == "background"
	return nil
}

// returnsAtOnce reports whether run returns as soon as the command has started.
func (req *runRequest) returnsAtOnce() bool { return req.background && req.window == 0 }

// runRules are the rules about the flags of run.
var runRules = []flagRule{
	{flags: []string{"size"}, without: []string{"no-pty"}, reason: "without a terminal there is no screen"},
	{flags: []string{"all", "fail"}, needs: []string{"until"}},
	{flags: []string{"until"}, without: []string{"no-pty"}, reason: "without a terminal there is no screen"},
}

// readUntil reads the conditions with which run returns.
func (req *runRequest) readUntil(cmd *cli.Command) (err error) {
	if err := checkFlags(cmd, runRules); err != nil {
		return err
	}
	if req.until, err = readConditions(cmd, "until"); err != nil {
		return err
	}
	if req.until.FromStart = true; req.background && len(req.until.Until) > 0 {
		return usagef("run: --until cannot be used with --wait background")
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
	_, inEnvironment := os.LookupEnv("DEVTOOLS_TIMEOUT") // an empty variable is none
	if cmd.String("timeout") != "" || cmd.IsSet("timeout") && !inEnvironment {
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
	if req.maxLines = cmd.Int("max-lines"); req.maxLines < 0 {
		return badValue("max-lines", req.maxLines, "0 or more")
	}
	if cmd.String("max-output") != "" {
		req.maxOutput, err = byteCount(cmd, "max-output")
	}
	if req.maxLines > 0 && req.maxOutput == 0 {
		req.maxOutput = mostLinesBytes
	}
	return err
}

// mostLinesBytes is how much output --max-lines keeps where --max-output sets no limit, in bytes: a line may be of any length.
const mostLinesBytes = 16 << 20

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
