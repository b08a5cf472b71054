package proc

import "time"

// Started returns when the process started, to about 10 ms, by the wall clock as it is set now. It is for
// display: the clock may have been changed since. It is zero for an ID without a start.
func (id ID) Started() time.Time {
	if id.Start == 0 {
		return time.Time{}
	}
	return started(id.Start)
}
