package hold

import (
	"math"

	"devtools/ledger/transcript"
)

// maxBehind is how many bytes the starter may be behind the output. Beyond that, the holder stops reading
// the terminal, and the command waits.
const maxBehind = 64 << 20

// The command waits while a reader is too far behind the output. The captures are readers. The starter is one, too, if it
// follows the output.
type readers struct {
	*core
	completion *completion
	clients    *clients
	captures   *captures
}

// starter reports whether the client that has started the session reads along.
func (r *readers) starter() bool { return r.spec.Foreground && !r.clients.starter.gone }

// behind reports whether the command must wait, because a reader is too far behind the output.
func (r *readers) behind() bool {
	starter := r.starter()
	if r.completion.treeGone || !starter && len(r.captures.list) == 0 {
		return false // little output is left when the tree is gone
	}
	limit := min(int64(maxBehind), r.spec.MaxLog/2)
	if unsaved, _ := r.log.Unsaved(0); len(unsaved) > 0 {
		limit = int64(transcript.MaxUnsaved / 2) // memory keeps at most MaxUnsaved bytes that the disk did not take
	}
	return starter && r.log.Next()-r.clients.starter.read > limit || r.captures.behind(limit)
}

// delivered reports whether the output that is not on disk has reached its readers: the disk could not take it, or its files
// were removed. No other copy of that output exists.
func (r *readers) delivered() bool {
	if !r.captures.behind(0) && (!r.starter() || r.clients.starter.read >= r.log.Next()) {
		return true
	}
	unsaved, _ := r.log.Unsaved(0)
	return len(unsaved) == 0 && !r.dir.Removed(r.session.ID)
}

// furthest returns how many bytes the slowest reader of the output is behind. file is the file of that capture, or "" for
// the starter.
func (r *readers) furthest() (held int64, file string) {
	at := int64(math.MaxInt64)
	if r.starter() {
		at = r.clients.starter.read
	}
	for _, c := range r.captures.running() {
		if c.at.Load() < at {
			at, file = c.at.Load(), c.record.File
		}
	}
	return r.log.Next() - at, file
}
