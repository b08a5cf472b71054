package census

import (
	"context"
	"slices"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// Prune removes what p selects. It keeps a session if one of its processes is alive or a process reads the session.
func Prune(ctx context.Context, dir ledger.Dir, p ledger.Pruning) (ledger.Pruned, error) {
	if _, err := Reconcile(ctx, dir); err != nil { // this records the end of sessions that died unnoticed
		return ledger.Pruned{}, err
	}
	p.Lives = Lives(dir)
	pruned, err := dir.Prune(ctx, p)
	for i := range pruned.InUse {
		findReaders(dir, &pruned.InUse[i])
	}
	return pruned, err
}

// findReaders fills in which processes read a session. Readers that have just ended are missing.
func findReaders(dir ledger.Dir, s *ledger.InUse) {
	for _, reader := range proc.FolderOpeners(dir.SessionFolder(s.ID)) { // a reader has the folder open for its lock
		s.PIDs = append(s.PIDs, reader.PID)
		if reader.State == 'T' || reader.State == 't' {
			s.Stopped = append(s.Stopped, reader.PID)
		}
	}
}

// Lives returns a function that reports whether a session's holder is alive, or a process that the session's record or
// journal names.
func Lives(dir ledger.Dir) func(ledger.Session) bool {
	return func(s ledger.Session) bool {
		if Foreign(s) || len(Orphans(s)) > 0 {
			return true
		}
		journal, err := dir.Journal(s.ID)
		return err != nil || slices.ContainsFunc(journal, func(p ledger.Process) bool { return track.Identity(p).Alive() })
	}
}
