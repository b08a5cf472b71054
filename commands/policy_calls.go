package commands

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/guard"
	"devtools/runner/proc"
	"devtools/runner/watch"
	"devtools/runner/wire"
	"devtools/stack/line"
)

// startCalls returns what starting a session does: its command, and at its end that of --on-exit.
func startCalls(kind string, s *wire.Spec) []guard.Call {
	calls := []guard.Call{{Kind: kind, Argv: s.Command, Dir: s.Cwd, Env: s.Env}}
	if s.Stdin { // what the command reads is not known
		calls[0].Line, calls[0].Argv = "cat | "+proc.Line(s.Command), nil
	}
	if len(s.OnExit) > 0 {
		calls = append(calls, guard.Call{Kind: guard.KindOnExit, Argv: s.OnExit, Dir: s.Cwd, Env: s.Env})
	}
	return calls
}

// watchCalls returns what a watch does, as often as it does it.
func watchCalls(c *watch.Config) (calls []guard.Call) {
	if c.Build != nil {
		calls = startCalls(guard.KindWatch, c.Build)
	}
	return append(calls, startCalls(guard.KindWatch, &c.Program)...)
}

// restartCalls returns what starting a session again does. Only its holder knows the environment.
func restartCalls(dir ledger.Dir, s ledger.Session) []guard.Call {
	if record, err := dir.LoadSession(s.ID); err == nil {
		s = record
	}
	return []guard.Call{{Kind: guard.KindRestart, Argv: s.Command, Dir: s.Cwd}}
}

// calls returns what the run does.
func (req *runRequest) calls() []guard.Call {
	calls := startCalls(guard.KindRun, &req.spec)
	if req.code != nil {
		calls[0] = req.code.call(calls[0])
	}
	return append(calls, answerCalls(req.input.Answers, readerFor(req.spec.Command))...)
}

// call returns the call in which the code runs in place of a command.
func (c *script) call(in guard.Call) guard.Call {
	in.Argv, in.Line, in.Shell = nil, "", ""
	if in.Code, in.Lang = c.judged(), c.lang; c.lang == "shell" {
		in.Line, in.Shell, in.Code, in.Lang = in.Code, filepath.Base(c.interp.Argv[0]), "", ""
	}
	return in
}

// answerCalls returns what typing the answers does. r reads them.
func answerCalls(answers []runner.Answer, r reader) (calls []guard.Call) {
	for _, a := range answers {
		texts := []string{strings.TrimSuffix(a.Text, `\c`)} // with that, no Enter follows
		if len(a.Keys) > 0 {
			texts = r.texts(nil, wire.Keys{Args: a.Keys})
		}
		calls = append(calls, r.calls(guard.Call{Kind: guard.KindAnswer}, texts...)...)
	}
	return calls
}

// inCalls returns what running text in the shell or the REPL of a session does. code is not nil with --lang.
func inCalls(s ledger.Session, text string, code *script, given wire.Spec) []guard.Call {
	call := guard.Call{Kind: guard.KindRunIn, Line: text, Shell: readerFor(s.Command).program, Dir: cmp.Or(given.Cwd, presentFolder(s))}
	if code != nil {
		call = code.call(call)
	}
	return []guard.Call{call}
}

// typeCalls returns what typing into the session name does behind what was typed before and not ended. It notes that in t, and that the
// keys were judged: the holder then types them only there. Of keys that were judged before, it stays. The error says that the holder does
// not tell.
func typeCalls(ctx context.Context, dir ledger.Dir, name string, t *runner.Typing) ([]guard.Call, error) {
	s, living := recordOf(dir, name)
	before := func() ([]byte, error) { return t.Behind, nil }
	if living && !t.Judged {
		before = runner.HalfLineAhead(ctx, dir, s) // the holder answers while the programs are looked at
	}
	r := readerOf(s)
	call := guard.Call{Kind: guard.KindSendKeys, Dir: presentFolder(s)}
	behind, err := before()
	if err != nil && !errors.Is(err, wire.ErrHolderGone) { // of a session that has ended there is nothing
		return nil, err
	}
	t.Judged, t.Behind = living, behind
	return r.typeCalls(call, behind, t.Keys), nil
}

// declaredCalls returns what starting the declared sessions does. The folder and the program of one may be made by another.
func declaredCalls(cmd *cli.Command, list []*launching) (calls []guard.Call) {
	for _, l := range list {
		s := l.spec
		if s.Command = l.declared.Argv; l.declared.Line != "" {
			s.Command, _ = line.Argv(l.declared.Command(), "", l.declared.Folder) // it is a command
		}
		s.Cwd, s.Env = l.declared.Folder, lastOfEach(append(os.Environ(), l.declared.Env...))
		calls = append(calls, startCalls(guard.KindLaunch, &s)...)
	}
	if command := cmd.String("on-exit"); command != "" {
		calls = append(calls, guard.Call{Kind: guard.KindOnExit, Line: command})
	}
	return calls
}
