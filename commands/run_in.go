package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/guard"
	"devtools/runner/list"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// inRules are the rules about --in. The flags of run that it excludes are about a session to be started.
var inRules = []flagRule{{
	flags:   []string{"no-pty", "stdin", "size", "name", "title", "leftovers", "on-exit", "grace", "secret", "profile", "inherit-env", "shell", "max-log", "no-record", "until", "all", "fail", "tether", "idle-limit", "max-sessions", "isolation", "workspace", "allow-write", "net", "share"},
	without: []string{"in"},
	reason:  "the session has its own terminal and shell",
}}

// A runInResult is the output of run --in --json.
type runInResult struct {
	runResult
	Pipeline   []int  `json:"pipeline"`     // exit codes of the stages of the last pipeline, where the shell tells
	Cwd        string `json:"cwd,omitzero"` // working directory of the shell afterwards
	ShellEnded bool   `json:"shellEnded"`   // the command ended its shell
	Created    bool   `json:"created"`      // the session default was made for this call: it has no variables and no directory of an earlier one
}

// begin returns the position where the output begins.
func (r runInResult) begin() ledger.Position {
	return ledger.Position{Session: r.SessionID, Offset: r.Offset}
}

// runIn runs a command in the shell of a session.
func runIn(ctx context.Context, cmd *cli.Command) error {
	req, err := newRunInRequest(cmd)
	if err != nil {
		return err
	}
	name := cmd.String("in")
	signals := make(chan os.Signal, 8)
	defer signal.Stop(signals)
	var in *inCommand
	read := func(session ledger.Session, starts []guard.Call) (err error) {
		if in, err = req.readIn(cmd, session, starts); err == nil {
			catchIn(signals) // not before: until then a signal ends the question of a policy, as it ends each program
		}
		return err
	}
	dir, client, created, err := dialIn(ctx, cmd, name, signals, func(start launchRequest) error {
		return read(start.session(), startCalls(guard.KindLaunch, &start.spec))
	})
	if err != nil {
		return err
	}
	defer client.Close()
	if in == nil {
		if err = read(client.Session, nil); err != nil {
			return err
		}
	}
	given := req.spec
	req.spec.Size, req.spec.Cwd = client.Session.Size, cmp.Or(given.Cwd, proc.WorkingDirectory(client.Session.Main.PID))
	out := newRunOutput(cmd, req)
	req.advice = req.advise(cmd, in.args)
	req.advice.say(cmd)
	started := time.Now()
	r, err := client.RunIn(ctx, in.text, runner.RunInOptions{
		Timeout: cmp.Or(req.window, req.timeout), Interrupt: !req.keep && !req.background, KillAfter: req.spec.KillAfter,
		Env: given.Env, Cwd: given.Cwd,
		Sink: out.sink(), Callers: req.callers, Signals: signals, Background: req.returnsAtOnce(), Input: req.input,
		Started: func(r runner.RunInResult) error { return out.startIn(ctx, client, r) },
	})
	if err != nil {
		err = refusedIn(cmd, name, err)
		if err = brokenPipe(err); r.Offset > 0 && !isA[exitCode](err) {
			err = errors.Join(err, out.close(cmd, name)) // the output so far is still useful
		}
		return lostOutput(cmd, name, err)
	}
	if req.background && r.Status == runner.TimedOut {
		r.Status = runner.Running
	}
	out.gone = client.Session.NoRecord && r.Ended
	result := newRunInResult(cmd, dir, client.Session, r, started)
	result.Created = created
	if req.returnsAtOnce() {
		return show(cmd, result, func(w io.Writer, r runInResult) error {
			_, err := fmt.Fprintln(w, r.begin())
			return err
		})
	}
	return showRunIn(ctx, cmd, req, dir, out, r, result)
}

// refusedIn adds to the error of a session that takes no command what to do next.
func refusedIn(cmd *cli.Command, name string, err error) error {
	devtools := devtoolsCommand(cmd)
	switch {
	case errors.Is(err, wire.ErrHalfTyped):
		return &sessionError{err, name, fmt.Sprintf("%s screen %s shows the line, %[1]s send-keys %[2]s C-u clears it", devtools, name)}
	case errors.Is(err, wire.ErrBusy):
		return &sessionError{err, name, fmt.Sprintf("%s wait %s --until prompt waits until it is free, %[1]s screen %[2]s shows what runs there; run without --in starts a session of its own", devtools, name)}
	case errors.Is(err, context.Canceled):
		return &interruptedError{fmt.Sprintf("session %q: interrupted before the command ran", name)}
	}
	return err
}

// An inCommand is a command of run --in, and its text for the shell or the REPL of the session.
type inCommand struct {
	args []string
	text string
}

// readIn reads the command of run --in for a session. It asks the policy about it, and about what else is done for it.
func (req *runRequest) readIn(cmd *cli.Command, session ledger.Session, starts []guard.Call) (*inCommand, error) {
	shell := shellProgram(session)
	for _, flag := range []string{"lang", "env", "cwd"} {
		if shell == "" && cmd.IsSet(flag) {
			return nil, ledger.SessionError(cmd.String("in"), fmt.Errorf("%w, and --%s needs one", wire.ErrNoShell, flag))
		}
	}
	state, err := stateFolder(cmd)
	if err != nil {
		return nil, err
	}
	in := &inCommand{args: cmd.Args().Slice()}
	spec := wire.Spec{Dir: state, Cwd: cmp.Or(req.spec.Cwd, presentFolder(session), session.Cwd), Env: os.Environ(), NoRecord: session.NoRecord}
	if cmd.IsSet("lang") {
		if req.code, err = scriptIn(cmd, &spec, in.args); err != nil {
			return nil, err
		}
	} else if in.text = textIn(session, in.args); strings.TrimSpace(in.text) == "" {
		return nil, usagef("run: the command is empty")
	}
	err = judge(cmd, state, func() []guard.Call {
		return slices.Concat(starts, inCalls(session, in.text, req.code, req.spec), answerCalls(req.input.Answers, reader{}))
	})
	if err != nil || req.code == nil {
		return in, err
	}
	if err = req.code.save(&spec); err != nil {
		return nil, err
	}
	if in.args = req.code.command(); len(req.code.interp.Env) > 0 {
		in.args = slices.Concat([]string{"env"}, req.code.interp.Env, in.args)
	}
	in.text = textIn(session, in.args)
	return in, nil
}

// textIn returns a command as text for the shell of a session, or for a REPL, without the quotes of a shell.
func textIn(session ledger.Session, args []string) string {
	if shellProgram(session) == "" {
		return strings.Join(args, " ")
	}
	return wire.ShellLine(session.Command, args)
}

// scriptIn reads which code of the language --lang is to run in the shell of a session.
func scriptIn(cmd *cli.Command, s *wire.Spec, args []string) (*script, error) {
	cwd, err := workingDirectory("")
	if err != nil {
		return nil, &startError{err}
	}
	if len(args) > 0 && args[0] != "-" && !filepath.IsAbs(args[0]) {
		args = append([]string{filepath.Join(cwd, args[0])}, args[1:]...) // the shell may have another working directory
	}
	return readScript(cmd, s, args)
}

// newRunInRequest reads the flags that have a meaning with --in.
func newRunInRequest(cmd *cli.Command) (req runRequest, err error) {
	if err := checkFlags(cmd, inRules); err != nil {
		return req, err
	}
	if err := ledger.CheckName(cmd.String("in")); err != nil {
		return req, err
	}
	if err := req.readGiven(cmd); err != nil {
		return req, err
	}
	if err := req.readChoices(cmd); err != nil {
		return req, err
	}
	if err := req.readLimits(cmd); err != nil {
		return req, err
	}
	if err = req.readTerminal(cmd); err != nil {
		return req, err
	}
	req.viewed = false // keys are not passed on to the session
	if req.returnsAtOnce() {
		return req, withoutTerminal(cmd, "--wait background")
	}
	req.input, err = readInputOptions(cmd, false)
	return req, err
}

// readGiven reads what --env and --cwd set for the command.
func (req *runRequest) readGiven(cmd *cli.Command) (err error) {
	for _, pair := range cmd.StringSlice("env") {
		name, _, ok := strings.Cut(pair, "=")
		switch {
		case !ok || name == "":
			return usagef("--env: invalid value %q: use NAME=VALUE", pair)
		case strings.Trim(name, variableCharacters) != "" || name[0] <= '9':
			return usagef("--env: a shell has no variable %q: use letters, digits and _", name)
		}
		req.spec.Env = append(req.spec.Env, pair)
	}
	req.spec.Env = lastOfEach(req.spec.Env)
	if cmd.IsSet("cwd") {
		if req.spec.Cwd, err = workingDirectory(cmd.String("cwd")); err != nil {
			return &startError{err}
		}
	}
	return nil
}

// variableCharacters are those of a variable's name in all shells.
const variableCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

func newRunInResult(cmd *cli.Command, dir ledger.Dir, s ledger.Session, r runner.RunInResult, started time.Time) runInResult {
	result := runInResult{runResult: newRunResult(s, r.Status), Pipeline: append([]int{}, r.Pipeline...), Cwd: r.Cwd, ShellEnded: r.Ended}
	result.Name = cmp.Or(r.Name, s.Name)
	result.StartedAt = ledger.Time{Time: started}
	result.Answers = append(result.Answers, r.Answers...)
	result.DurationMs = time.Since(started).Milliseconds()
	result.Offset, result.readOn = r.Offset, readOnFrom(s.ID, r.Read)
	switch result.takeInput(r.Input); {
	case r.Finished:
	case callEndOf(s).EndsWithCall:
		result.callEnd = callEndOf(s)
		result.Hints = []string{withinCall}
	case r.Status == runner.WaitingForInput:
		result.Hints = answerHints(cmd, result.Name, *r.Input.Waiting)
	default:
		devtools := devtoolsCommand(cmd)
		result.Hints = []string{devtools + " run --resume " + result.Name, fmt.Sprintf("%s log %s --since %s --follow", devtools, result.Name, result.begin())}
	}
	result.Log = runner.LogPath(dir, s)
	if r.Finished {
		result.Signal = r.ShellResult.Signal
		if !r.REPL || r.Ended {
			result.ExitCode = &r.ExitCode
		}
		result.DurationMs = r.Duration.Milliseconds()
	}
	return result
}

// showRunIn prints what became of the command and returns its exit code.
func showRunIn(ctx context.Context, cmd *cli.Command, req runRequest, dir ledger.Dir, out *runOutput, r runner.RunInResult, result runInResult) error {
	if !r.SinkBusy {
		out.endIn(r)
		if err := out.close(cmd, result.Name); err != nil {
			if !r.Finished {
				err = lostOutput(cmd, result.Name, err)
			}
			return brokenPipe(err)
		}
	}
	code, why := r.ExitCode, ""
	switch r.Status {
	case runner.TimedOut:
		code, why = codeTimeout, "timed out after "+req.timeout.String()
	case runner.WaitingForInput:
		code, why = codeWaiting, waitingText(*r.Input.Waiting)
	case runner.Running:
		code, why = stillRuns(r.Signal)
	}
	if result.GapBytes = r.Deleted; !cmd.Bool("json") {
		tellMissing(cmd, runner.RunResult{Missing: r.Missing}, r.Deleted)
	}
	if r.Missing > 0 && code == 0 {
		code = codeFailed
	}
	if cmd.Bool("json") {
		if !r.SinkBusy {
			result.fill(req, out, runner.RunResult{Session: ledger.Session{Name: result.Name}, Next: r.Read, Missing: r.Missing})
			if req.from > 0 { // an earlier run has printed the output before that
				result.Offset = req.from
			}
			result.OutputBytes = r.Read - result.Offset
		}
		if err := printResult(cmd, result); err != nil {
			return brokenPipe(err)
		}
	} else {
		reportRunningIn(cmd, req, r, result, why)
		remindSince(ctx, cmd, dir, list.Told{Since: result.StartedAt.Time, Before: r.CalledAt, LeftOut: []string{result.SessionID}})
	}
	if sig, ok := r.Signal.(syscall.Signal); ok && (r.Status == runner.Running || code == 128+int(sig)) {
		endBy(sig) // so that the calling shell sees how devtools ended
	}
	return exitCode(code)
}

// reportRunningIn says on stderr whether the command continues.
func reportRunningIn(cmd *cli.Command, req runRequest, r runner.RunInResult, result runInResult, why string) {
	w := cmd.Root().ErrWriter
	if r.Status == runner.WaitingForInput {
		endLine(cmd, *r.Input.Waiting)
	}
	switch {
	case why != "" && r.Finished:
		message(w, "%s: the command was interrupted", why)
	case why != "":
		sayContinues(cmd, result.Hints, "%s: the command still runs in session %q%s", why, result.Name, result.text(", which"))
	case r.Ended:
		what := "shell"
		if r.REPL {
			what = "REPL"
		}
		note(cmd, "session %q has ended: the command ended its %s", result.Name, what)
	}
	reportRunning(cmd, runner.RunResult{Status: runner.Completed}, result.runResult, "", req)
}
