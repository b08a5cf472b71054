package commands

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

func labelCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME [KEY=VALUE…]",
		Description: `Sets labels of the running session NAME. ps, wait and kill choose sessions by
their labels. Without KEY=VALUE and --remove, label prints the labels of the
session, which may have ended.

EXAMPLES:
  devtools label web app=shop tier=front
  devtools label web --remove tier`,
		Flags: []cli.Flag{
			targetFlag(),
			&cli.StringSliceFlag{Name: "remove", Usage: "remove the label `KEY`"},
		},
		ArgValidator: sessionAndLabels,
		Action:       label,
	}
}

// sessionAndLabels is the ArgValidator of label.
func sessionAndLabels(ctx context.Context, cmd *cli.Command) error {
	if cmd.String("t") != "" {
		return nil
	}
	return arguments(1, 1<<20, "the name of a session")(ctx, cmd)
}

// A labelResult is the output of label --json.
type labelResult struct {
	Name      string            `json:"name"`      // name of the session
	SessionID string            `json:"sessionId"` // id of the session
	Labels    map[string]string `json:"labels"`    // labels of the session now
}

func label(ctx context.Context, cmd *cli.Command) error {
	name, pairs, removed := target(cmd), cmd.Args().Slice(), cmd.StringSlice("remove")
	if cmd.String("t") == "" {
		pairs = pairs[1:]
	}
	set, err := parseLabels(pairs, "label")
	if err != nil {
		return err
	}
	if err := checkLabels(set, removed); err != nil {
		return err
	}
	dir, err := openState(cmd, name)
	if err != nil {
		return err
	}
	var session ledger.Session
	if len(set)+len(removed) > 0 {
		session, err = runner.Label(ctx, dir, name, set, removed)
	} else {
		session, err = dir.Session(name)
	}
	if err != nil {
		return err
	}
	return show(cmd, labelResult{session.Name, session.ID, labelsOf(session)}, func(w io.Writer, r labelResult) error {
		if len(set)+len(removed) > 0 {
			return nil
		}
		var lines strings.Builder
		for _, key := range slices.Sorted(maps.Keys(r.Labels)) {
			lines.WriteString(key + "=" + oneLine(r.Labels[key]) + "\n")
		}
		_, err := io.WriteString(w, lines.String())
		return err
	})
}

// checkLabels returns an error if label cannot set or remove these labels: watch relies on its own.
func checkLabels(set map[string]string, removed []string) error {
	for _, key := range slices.Concat(slices.Sorted(maps.Keys(set)), removed) {
		if key == wire.LabelWatch || key == wire.LabelBuild {
			return usagef("label: the label %q is that of devtools watch, which finds its sessions by it", key)
		}
	}
	for _, key := range removed {
		if ledger.CheckName(key) != nil {
			return badValue("remove", key, "the KEY of a label")
		}
		if _, ok := set[key]; ok {
			return usagef("label: %s=%s and --remove %s exclude each other", key, set[key], key)
		}
	}
	return nil
}

// labelFlag returns the flag that selects sessions by their labels. Its help begins with the text what.
func labelFlag(what string) cli.Flag {
	return &cli.StringSliceFlag{Name: "label", Usage: what + " with the label `KEY=VALUE`"}
}

// labels returns the values of --label.
func labels(cmd *cli.Command) (map[string]string, error) {
	return parseLabels(cmd.StringSlice("label"), "--label")
}

// parseLabels returns the labels in texts of the form KEY=VALUE. The text what stands for them in errors.
func parseLabels(pairs []string, what string) (map[string]string, error) {
	set := map[string]string{}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || ledger.CheckName(key) != nil {
			return nil, usagef("%s: invalid value %q: use KEY=VALUE; KEY has letters, digits, '.', '_' and '-'", what, pair)
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

// chosenSessions returns the running sessions that --label chooses. With ended it returns also those that the caller of this process has
// started and that have ended, of each name the newest: a script need not be quicker than what it starts.
func chosenSessions(cmd *cli.Command, ended bool) (dir ledger.Dir, sessions []ledger.Session, err error) {
	wanted, err := labels(cmd)
	if err != nil {
		return dir, nil, err
	}
	if cmd.String("t") != "" {
		return dir, nil, usagef("%s: -t cannot be used with --label: it names the session", cmd.Name)
	}
	path, err := stateFolder(cmd)
	if err != nil {
		return dir, nil, err
	}
	if dir, err = openFolder(cmd, path); err == nil && ended {
		sessions, err = ownOrRunning(dir, wanted)
	} else if err == nil {
		sessions, err = runningSessions(dir, wanted)
	}
	if err != nil && !isMissing(err) {
		return dir, nil, err
	}
	if len(sessions) == 0 {
		err = fmt.Errorf("label %s: %w%s", strings.Join(cmd.StringSlice("label"), ", "), noLabelledError{}, endedWith(dir, wanted))
	}
	return dir, sessions, err
}

// endedNamed is how many of the sessions that have ended with a label a message names.
const endedNamed = 5

// endedWith returns the end of a message that no running session has the labels. It names the newest sessions that had them.
func endedWith(dir ledger.Dir, wanted map[string]string) string {
	sessions, err := newestSessions(dir, wanted)
	if err != nil || len(sessions) == 0 {
		return "" // as where there is none
	}
	var names []string
	for _, s := range slices.Backward(sessions) {
		names = append(names, s.Name)
	}
	more := ""
	if n := len(names) - endedNamed; n > 0 {
		names, more = names[:endedNamed], fmt.Sprintf(" and %d more", n)
	}
	return " runs (ended: " + strings.Join(names, ", ") + more + ")"
}

// newestSessions returns the sessions that have all of the labels, running or ended, the oldest first. Of several with one name it
// returns the newest, if that has them.
func newestSessions(dir ledger.Dir, wanted map[string]string) (newest []ledger.Session, err error) {
	sessions, err := dir.Sessions()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, s := range slices.Backward(sessions) {
		if !seen[s.Name] && hasLabels(s, wanted) {
			newest = append(newest, s)
		}
		seen[s.Name] = true
	}
	slices.Reverse(newest)
	return newest, nil
}

// ownOrRunning returns the sessions with the labels that the caller of this process has started and that have ended, and those that run.
func ownOrRunning(dir ledger.Dir, wanted map[string]string) (sessions []ledger.Session, err error) {
	newest, err := newestSessions(dir, wanted)
	if err != nil {
		return nil, err
	}
	caller := track.Caller().PID
	begin, unknown := proc.Glimpse(caller)
	for _, s := range newest {
		if s.Ended() && unknown == nil && s.Caller.PID == caller && s.Namespace == proc.Namespace() && s.StartedAt.After(begin.Started()) {
			sessions = append(sessions, s)
		}
	}
	running, err := runningSessions(dir, wanted)
	return append(sessions, running...), err
}

// runningSessions returns the running sessions that have all of the labels.
func runningSessions(dir ledger.Dir, wanted map[string]string) (sessions []ledger.Session, err error) {
	active, err := dir.Active()
	if err != nil {
		return nil, err
	}
	for _, s := range active.Sessions {
		if hasLabels(s, wanted) {
			sessions = append(sessions, s)
		}
	}
	return sessions, nil
}

// idsOf returns the ids of the sessions.
func idsOf(sessions []ledger.Session) (ids []string) {
	for _, s := range sessions {
		ids = append(ids, s.ID)
	}
	return ids
}
