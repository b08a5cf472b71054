package commands

import (
	"path/filepath"
	"slices"

	"devtools/ledger"
	"devtools/runner/condition"
	"devtools/runner/declared"
	"devtools/runner/list"
	"devtools/stack"
)

// missingDeclared returns the sessions of sessions.toml that do not run, and have not done what they are for. Without such a
// file it returns nil.
func missingDeclared(dir ledger.Dir, l list.Listing) (missing []stack.Expectation, err error) {
	sessions, err := declaredIn(dir)
	if len(sessions) > 0 {
		missing = []stack.Expectation{}
	}
	for _, s := range sessions {
		if slices.ContainsFunc(l.Sessions, func(o list.Listed) bool {
			return o.Name == s.Name && (!o.Ended() || o.Status == ledger.StatusRestarting)
		}) || isDone(dir, s) {
			continue
		}
		e := stack.Expectation{Project: s.Folder, Name: s.Name, Command: s.Command(), Ports: []int{}}
		for _, c := range s.Ready {
			if port := c.Port(); port != 0 {
				e.Ports = append(e.Ports, port)
			}
		}
		if relative, err := filepath.Rel(filepath.Dir(dir.Path()), s.Folder); err == nil {
			e.Project = filepath.ToSlash(relative)
		}
		missing = append(missing, e)
	}
	return missing, err
}

// isDone reports whether a session that is ready at its end, with ready = "exit:0", has ended so.
func isDone(dir ledger.Dir, s declared.Session) bool {
	if !slices.ContainsFunc(s.Ready, func(c condition.Condition) bool { return c.Kind == condition.UntilExit }) {
		return false
	}
	last, err := dir.Session(s.Name)
	return err == nil && last.Ended() && slices.ContainsFunc(s.Ready, func(c condition.Condition) bool { return c.Exited(last.ExitCode) })
}
