package commands

import (
	"context"
	"os/signal"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/runner"
	"devtools/runner/guard"
)

// withResume lists the flags of run that have a meaning for a command that was started before.
var withResume = []string{
	"resume", "timeout", "on-timeout", "kill-after", "raw", "max-output", "max-lines", "on-input", "min-confidence", "answer", "answer-each", "answer-file", "yes",
}

// runResume waits again for a command that an earlier run has left running.
func runResume(ctx context.Context, cmd *cli.Command) error {
	req, err := newResumeRequest(cmd)
	if err != nil {
		return err
	}
	name := cmd.String("resume")
	dir, err := openState(cmd, name)
	if err != nil {
		return err
	}
	if len(req.input.Answers) > 0 {
		err := judge(cmd, dir.Path(), func() []guard.Call {
			s, _ := recordOf(dir, name)
			return answerCalls(req.input.Answers, readerOf(s))
		})
		if err != nil {
			return err
		}
	}
	resumed, err := runner.Resume(ctx, dir, name)
	if err != nil {
		return err
	}
	client := resumed.Client
	defer client.Close()
	var object any = runResult{}
	if resumed.Run != 0 {
		object = runInResult{}
	}
	if err := checkFields(cmd, object); err != nil {
		return err
	}
	signals := catchSignals()
	defer signal.Stop(signals)
	req.spec.Dir, req.spec.Size, req.from = dir.Path(), client.Session.Size, resumed.From
	req.spec.NoTerminal = client.Session.Size.Cols == 0
	out := newRunOutput(cmd, req)
	if out.plain != nil {
		if out.plain, err = resumed.Plain(ctx, out.all.w, resumed.REPL); err != nil {
			return err
		}
	}
	if resumed.Run == 0 {
		opts := runner.RunOptions{Signals: signals, Timeout: req.timeout, KillLate: func() bool { return !req.keep || !cmd.IsSet("on-timeout") && callEndOf(client.Session).EndsWithCall }}
		return waitForRun(ctx, cmd, client, req, out, opts)
	}
	started := time.Now()
	r, err := client.ResumeIn(ctx, resumed, runner.RunInOptions{
		Timeout: req.timeout, Interrupt: !req.keep, KillAfter: req.spec.KillAfter,
		Sink: out.sink(), Callers: req.callers, Signals: signals, Input: req.input,
	})
	if err != nil {
		return lostOutput(cmd, client.Session.Name, brokenPipe(err))
	}
	return showRunIn(ctx, cmd, req, dir, out, r, newRunInResult(cmd, dir, client.Session, r, started))
}

// newResumeRequest reads the flags that have a meaning with --resume.
func newResumeRequest(cmd *cli.Command) (req runRequest, err error) {
	for _, flag := range cmd.Flags {
		if name := flag.Names()[0]; flag.IsSet() && !slices.Contains(withResume, name) {
			return req, usagef("run: --%s cannot be used with --resume: the command already runs", name)
		}
	}
	if err := req.readChoices(cmd); err != nil {
		return req, err
	}
	if err := req.readLimits(cmd); err != nil {
		return req, err
	}
	req.raw = cmd.Bool("raw")
	req.input, err = readInputOptions(cmd, false)
	return req, err
}
