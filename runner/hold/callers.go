package hold

import (
	"time"

	"devtools/ledger"
)

// maxCallers is how many callers of run --in a session remembers. One that was forgotten is told again of other sessions.
const maxCallers = 32

// The callers are those who last had a command run in the session, each once, the last of them at the end.
type callers []servedCaller

type servedCaller struct {
	ledger.Caller
	at time.Time
}

// served remembers that a command of the caller began, and returns when the one before did: of the same process, or of the same
// terminal.
func (c *callers) served(caller ledger.Caller, at time.Time) (before time.Time) {
	kept := (*c)[:0]
	for _, other := range *c {
		if caller.PID != 0 && other.PID == caller.PID || caller.Session != 0 && other.Session == caller.Session {
			before = other.at
		}
		if other.Caller != caller {
			kept = append(kept, other)
		}
	}
	kept = append(kept, servedCaller{caller, at})
	*c = kept[max(0, len(kept)-maxCallers):]
	return before
}
