package commands

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/list"
	"devtools/runner/track"
)

// reminds reports whether a caller is told what else runs.
func reminds(cmd *cli.Command) bool {
	return os.Getenv("DEVTOOLS_REMINDER") != "0" && !cmd.Bool("quiet")
}

// An aboutSessions is a result that tells itself what became of sessions. about has their ids or names, which the reminder does not
// repeat.
type aboutSessions interface{ about() []string }

func (r runResult) about() []string    { return []string{r.SessionID} }
func (r launchResult) about() []string { return []string{r.SessionID} }

// A toldOrphans is a result that may have the orphans itself.
type toldOrphans interface{ tellsOrphans() bool }

func (r psResult) tellsOrphans() bool   { return true }
func (r killResult) tellsOrphans() bool { return r.Orphaned != nil }

// withReminder adds the reminder to the text of the result v, without what v tells itself.
func withReminder(cmd *cli.Command, v any, text []byte) ([]byte, error) {
	if !hasReminder(v) || !reminds(cmd) || !wantsReminder(cmd) {
		return text, nil
	}
	var about []string
	if v, ok := v.(aboutSessions); ok {
		about = v.about()
	}
	told := reminder(cmd, about)
	if v, ok := v.(toldOrphans); ok && v.tellsOrphans() {
		told.Orphaned = nil
	}
	return appendReminder(text, told)
}

// wantsReminder reports whether a member of the reminder is printed: without --fields all are.
func wantsReminder(cmd *cli.Command) bool {
	asked := fieldsOf(cmd)
	return len(asked) == 0 || slices.ContainsFunc(asked, func(f field) bool {
		return slices.Contains(namesIn(typesOf([]any{list.Reminder{}}), ""), f.name)
	})
}

// reminder returns the reminder without the session of this process and those of about, which are ids or names. If it cannot be
// known, it says why.
func reminder(cmd *cli.Command, about []string) list.Reminder {
	r := emptyReminder()
	path, err := stateFolder(cmd)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	dir, err := ledger.Open(path)
	if isMissing(err) { // nothing was ever started here
		return r
	}
	var m list.Memory
	if err == nil {
		m, err = list.Recall(context.Background(), dir)
	}
	if err != nil {
		r.Error = err.Error()
		return r
	}
	return m.Reminder(func(id, name string) bool {
		return id == os.Getenv(track.Variable) || slices.Contains(about, id) || slices.Contains(about, name)
	})
}

// failureReminder returns the reminder for an error of a command line, which is as protect returns it.
func failureReminder(root *cli.Command, words []string, err error) (r list.Reminder) {
	if !reminds(root) || !wantsReminder(root) {
		return r
	}
	namesFolder := func(word string) bool { return strings.HasPrefix(word, "--dir") || strings.HasPrefix(word, "-C") }
	if newErrorDetail("", err).Code == codeUsage && slices.ContainsFunc(words, namesFolder) { // they may be behind the mistake
		r = emptyReminder()
		r.Error = "it is not known which state folder is meant"
		return r
	}
	return reminder(root, nil)
}

func emptyReminder() list.Reminder {
	return list.Reminder{Active: []list.Process{}, Orphaned: []list.Process{}, Ended: []list.Ended{}}
}

// appendReminder adds the members of r to a JSON object, whose last byte is a line feed.
func appendReminder(object []byte, r list.Reminder) ([]byte, error) {
	var more bytes.Buffer
	if err := encode(&more, r); err != nil {
		return nil, err
	}
	rest := more.Bytes()[1:] // behind the brace
	if len(object) > len("{}\n") && rest[0] != '}' {
		rest = append([]byte{','}, rest...)
	}
	return append(bytes.TrimSuffix(object, []byte("}\n")), rest...), nil
}

// remind tells people on standard error, in one line, of what else runs in the state folder that they may not know. about has ids
// and names of the sessions that the result is about. What fails is no error: it is only a reminder.
func remind(ctx context.Context, cmd *cli.Command, dir ledger.Dir, about ...string) {
	remindSince(ctx, cmd, dir, list.Told{LeftOut: about})
}

// startedBy says of a call that it has started s, and that its result is about s.
func startedBy(s ledger.Session) list.Told {
	return list.Told{Since: s.StartedAt.Time, LeftOut: []string{s.ID}}
}

// remindSince works as remind, after a call that has started something.
func remindSince(ctx context.Context, cmd *cli.Command, dir ledger.Dir, to list.Told) {
	if cmd.Bool("json") || !reminds(cmd) {
		return
	}
	m, err := list.Recall(ctx, dir)
	if err != nil {
		return
	}
	to.Caller, to.LeftOut = track.Caller, append(slices.Clip(to.LeftOut), os.Getenv(track.Variable))
	var others []string
	for _, p := range m.Untold(to) {
		var details []string
		if p.PID != 0 {
			details = append(details, fmt.Sprintf("pid %d", p.PID))
		}
		if p.Status != ledger.StatusRunning {
			details = append(details, p.Status)
		}
		others = append(others, fmt.Sprintf("%s (%s)", p.TerminalName, strings.Join(details, ", ")))
	}
	if len(others) > 0 {
		note(cmd, "also running: %s", strings.Join(shorten(others, 8), ", "))
	}
}
