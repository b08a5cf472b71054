package commands

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/doctor"
)

// atMostOneSession is the ArgValidator of a command with an optional session.
func atMostOneSession(ctx context.Context, cmd *cli.Command) error {
	if cmd.String("t") != "" {
		return noArguments(ctx, cmd)
	}
	return arguments(0, 1, "the name of a session")(ctx, cmd)
}

func doctorSession(ctx context.Context, cmd *cli.Command) error {
	name := target(cmd)
	path, _, err := findFolder(ctx, cmd)
	if err != nil {
		return err
	}
	dir, err := doctor.Within(ctx, doctor.Briefly, func() (ledger.Dir, error) { return ledger.Inspect(path) })
	if isMissing(err) {
		return fmt.Errorf("session %q: %w: there is no %s", name, errNoState, path)
	}
	if err != nil {
		return err
	}
	explanation, err := doctor.Explain(ctx, dir, name)
	if err != nil {
		return err
	}
	return show(cmd, explanation, explanationText)
}

func explanationText(w io.Writer, e doctor.Explanation) error {
	_, err := fmt.Fprintln(w, oneLine(e.Sentence))
	for _, line := range e.Evidence {
		if err == nil {
			_, err = fmt.Fprintf(w, "  %s\n", oneLine(line))
		}
	}
	for _, line := range e.Hints {
		if err == nil {
			_, err = fmt.Fprintf(w, "hint: %s\n", oneLine(line))
		}
	}
	return err
}
