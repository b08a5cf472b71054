package proc

import "time"

// Started returns when the process started, to about 10 ms, by the wall clock in its present setting. It is for
// display, because the clock may have been set since then. It returns the zero time for an ID without a start.
func (id ID) Started() time.Time {
	if id.Start == 0 {
		return time.Time{}
	}
	return started(id.Start)
}
