package commands

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/watch"
	"devtools/stack"
)

// codeUnchanged is the exit code of watch --changed-since when nothing has changed.
const codeUnchanged = 1

// watchOnce answers the question in the command line. It does not watch.
func watchOnce(ctx context.Context, cmd *cli.Command) error {
	var object any = watch.Answer{}
	if cmd.IsSet("explain") {
		object = watch.Explanation{}
	}
	if err := checkFields(cmd, object); err != nil { // before a token is made
		return err
	}
	sources, err := readSources(cmd)
	if err != nil {
		return questionFailed(err)
	}
	if cmd.IsSet("explain") {
		return explain(cmd, sources)
	}
	q := watch.Question{Sources: sources, Issue: cmd.Bool("token"), NotOurs: cmd.Bool("not-ours"), Ends: endingOf}
	h := fnv.New64a()
	fmt.Fprintf(h, "%q", []any{sources.Base, sources.Paths, sources.Ext, sources.Follow, sources.Rules.NoGit, sources.Rules.BuiltIns, sources.Rules.Ignore, sources.Rules.Include})
	q.Label = fmt.Sprintf("%x", h.Sum64())
	if since := cmd.String("changed-since"); ledger.IsToken(since) {
		q.Token = since
	} else if cmd.IsSet("changed-since") {
		if q.Since, err = pastTime(cmd, "changed-since", time.Now()); err != nil {
			return err
		}
	}
	path, err := stateFolder(cmd)
	if err == nil && q.Issue {
		err = orInStateHome(cmd, &path, func() (err error) {
			q.Dir, err = ledger.Create(path)
			return err
		})
	} else if err == nil {
		if q.Dir, err = openFolder(cmd, path); isMissing(err) && q.Token == "" { // nothing was ever started here
			q.NotOurs, err = false, nil
		}
	}
	if isMissing(err) && q.Token != "" {
		err = fmt.Errorf("%q: %w: nothing was ever started here", q.Token, ledger.ErrNoToken)
	}
	if err != nil {
		return questionFailed(err)
	}
	answer, err := watch.Ask(ctx, q)
	if err != nil {
		return questionFailed(err)
	}
	if err := show(cmd, answer, answerText); err != nil {
		return questionFailed(err)
	}
	if cmd.IsSet("changed-since") && !answer.Changed {
		return exitCode(codeUnchanged)
	}
	return nil
}

// endingOf returns whether the command of a session ends by itself.
func endingOf(s ledger.Session) watch.Ending {
	switch classifyCommand(s.Command, s.Cwd).Class {
	case stack.Server, stack.Watcher, stack.WatchIfTTY, stack.Interactive:
		return watch.EndsNot
	case stack.Build, stack.Test, stack.Oneshot:
		return watch.EndsByItself
	}
	return watch.EndsMaybe
}

// A questionError is a question that could not be answered. Its exit code is 2, because 1 means that nothing has
// changed.
type questionError struct{ err error }

func (e *questionError) Error() string { return "watch: " + e.err.Error() }
func (e *questionError) Unwrap() error { return e.err }

func questionFailed(err error) error {
	if isA[*usageError](err) {
		return err
	}
	return &questionError{err}
}

// answerText writes the token, and a line for each change.
func answerText(w io.Writer, a watch.Answer) error {
	if a.Token != "" {
		if _, err := fmt.Fprintln(w, a.Token); err != nil || !a.Changed {
			return err
		}
	}
	for _, p := range a.Paths {
		if _, err := fmt.Fprintf(w, "%s %s\n", p.Reason, oneLine(p.Path)); err != nil {
			return err
		}
	}
	return nil
}

// explain prints whether a path is watched. One that does not exist may be mistyped, so the answer is the hint of an error.
func explain(cmd *cli.Command, sources watch.Sources) error {
	path := cmd.String("explain")
	e, err := watch.Explain(sources, path)
	if err != nil {
		return err
	}
	if e.Missing != nil {
		return &hintedError{fileError("--explain", path, e.Missing), "if there were one: " + explanation(e)}
	}
	return show(cmd, e, func(w io.Writer, e watch.Explanation) error {
		_, err := fmt.Fprintln(w, oneLine(explanation(e)))
		return err
	})
}

// explanation says whether a path is watched, and why.
func explanation(e watch.Explanation) string {
	text := "watched"
	switch {
	case !e.Inside:
		text = "not watched: it is outside the watched paths"
	case !e.Watched:
		text = "not watched"
	}
	switch r := e.Rule; {
	case e.Kind != "" && !e.Ignored:
		text += ": it is a " + e.Kind
	case e.Inside && !e.Watched && !e.Ignored:
		text += ": it does not match --ext"
	case r != nil:
		switch {
		case e.Tracked:
			text += ": git tracks it, in spite of"
		case e.Spared:
			text += ": git tracks a file in " + e.Verdict.Path + ", in spite of"
		default:
			text += ": by"
		}
		if text += fmt.Sprintf(" %q of ", r.Pattern); r.File != "" {
			text += fmt.Sprintf("%s:%d", r.File, r.Line)
		} else {
			text += "the " + r.Layer.String() + " rules"
		}
		if !e.Spared && e.Verdict.Path != strings.TrimSuffix(e.Path, "/") {
			text += ", for " + e.Verdict.Path
		}
	}
	return e.Path + ": " + text
}
