package census

import (
	"context"
	"slices"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// Prune removes what p says of the past, but nothing of a session of which a process lives, or that a process reads.
func Prune(ctx context.Context, dir ledger.Dir, p ledger.Pruning) (ledger.Pruned, error) {
	if _, err := Settle(ctx, dir); err != nil { // what has died without a word has then ended
		return ledger.Pruned{}, err
	}
	p.Lives = Lives(dir)
	pruned, err := dir.Prune(ctx, p)
	for i := range pruned.InUse {
		findReaders(dir, &pruned.InUse[i])
	}
	return pruned, err
}

// findReaders fills in which processes read a session. Those that have just ended are not there any more.
func findReaders(dir ledger.Dir, s *ledger.InUse) {
	for _, reader := range proc.FolderOpeners(dir.SessionFolder(s.ID)) { // a lock comes with an open folder
		s.PIDs = append(s.PIDs, reader.PID)
		if reader.State == 'T' || reader.State == 't' {
			s.Stopped = append(s.Stopped, reader.PID)
		}
	}
}

// Lives returns what reports whether the holder of a session, or a process that its record or its journal names, is
// alive.
func Lives(dir ledger.Dir) func(ledger.Session) bool {
	return func(s ledger.Session) bool {
		if Foreign(s) || len(Orphans(s)) > 0 {
			return true
		}
		journal, err := dir.Journal(s.ID)
		return err != nil || slices.ContainsFunc(journal, func(p ledger.Process) bool { return track.Identity(p).Alive() })
	}
}
