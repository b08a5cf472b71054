package commands

import "devtools/ledger"

// A pruneResult is the output of prune --json.
type pruneResult struct {
	Removed    []removedResult `json:"removed"`    // sessions that were removed, oldest first
	InUse      []inUseResult   `json:"inUse"`      // ended sessions that stay because a process reads them, oldest first
	Files      int             `json:"files"`      // number of other files removed: saved code, and damaged files
	FreedBytes int64           `json:"freedBytes"` // space on disk that the sessions and the files had
	Kept       int             `json:"kept"`       // number of ended sessions that stay, with those in use
	DryRun     bool            `json:"dryRun"`     // nothing was removed: the others say what would be
	Errors     []errorDetail   `json:"errors"`     // what could not be removed, and why
}

// A removedResult is a session that was removed.
type removedResult struct {
	SessionID string `json:"sessionId"` // id of the session
	Name      string `json:"name"`      // name of the session
	DiskBytes int64  `json:"diskBytes"` // space that it had on disk
}

// An inUseResult is an ended session that stays because a process reads it.
type inUseResult struct {
	SessionID string `json:"sessionId"` // id of the session
	Name      string `json:"name"`      // name of the session
	PIDs      []int  `json:"pids"`      // processes that read it, where the system tells
	Stopped   []int  `json:"stopped"`   // the stopped processes among pids
}

// newPruneResult returns the form of p with --json. err is what could not be removed.
func newPruneResult(p ledger.Pruned, err error) pruneResult {
	r := pruneResult{
		Removed: []removedResult{}, InUse: []inUseResult{}, Files: p.Files, FreedBytes: p.Bytes, Kept: p.Kept, DryRun: p.Dry,
		Errors: errorDetails(err),
	}
	for _, s := range p.Sessions {
		r.Removed = append(r.Removed, removedResult{s.ID, s.Name, s.Bytes})
	}
	for _, s := range p.InUse {
		r.InUse = append(r.InUse, inUseResult{s.ID, s.Name, append([]int{}, s.PIDs...), append([]int{}, s.Stopped...)})
	}
	return r
}
