package commands

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
)

// labelFlag returns the flag that selects sessions by their labels. Its help begins with the text what.
func labelFlag(what string) cli.Flag {
	return &cli.StringSliceFlag{Name: "label", Usage: what + " with the label `KEY=VALUE`"}
}

// labels returns the values of --label.
func labels(cmd *cli.Command) (map[string]string, error) {
	set := map[string]string{}
	for _, pair := range cmd.StringSlice("label") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || ledger.CheckName(key) != nil {
			return nil, badValue("label", pair, "KEY=VALUE, with a KEY as a session is named")
		}
		set[key] = value
	}
	return set, nil
}

// hasLabels reports whether a session has all of the labels.
func hasLabels(s ledger.Session, wanted map[string]string) bool {
	for key, value := range wanted {
		if has, ok := s.Labels[key]; !ok || has != value {
			return false
		}
	}
	return true
}

// namedOrLabelled is the ArgValidator of a command about one session or the sessions with a label.
func namedOrLabelled(ctx context.Context, cmd *cli.Command) error {
	if len(cmd.StringSlice("label")) > 0 {
		return noArguments(ctx, cmd)
	}
	return oneSession(ctx, cmd)
}

// chosenSessions returns the sessions that a command is about: the session in its argument, or the running sessions
// with its labels.
func chosenSessions(cmd *cli.Command) (dir ledger.Dir, names []string, err error) {
	wanted, err := labels(cmd)
	if err != nil {
		return dir, nil, err
	}
	if len(wanted) == 0 {
		dir, err = openState(cmd, target(cmd))
		return dir, []string{target(cmd)}, err
	}
	if cmd.String("t") != "" {
		return dir, nil, usagef("%s: -t cannot be used with --label: it names the session", cmd.Name)
	}
	path, err := stateFolder(cmd)
	if err != nil {
		return dir, nil, err
	}
	if dir, err = openFolder(cmd, path); err != nil && !isMissing(err) {
		return dir, nil, err
	}
	if err == nil {
		names, err = runningSessions(dir, wanted)
	} else {
		err = nil
	}
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("label %s: %w", strings.Join(cmd.StringSlice("label"), ", "), ledger.ErrNoSession)
	}
	return dir, names, err
}

// runningSessions returns the ids of the running sessions that have all of the labels.
func runningSessions(dir ledger.Dir, wanted map[string]string) (ids []string, err error) {
	active, err := dir.Active()
	if err != nil {
		return nil, err
	}
	for _, s := range active.Sessions {
		if hasLabels(s, wanted) {
			ids = append(ids, s.ID)
		}
	}
	return ids, nil
}
