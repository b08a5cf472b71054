package hold

import "time"

// An idleLimit ends a session that nobody uses any more. Output and input are use, and so is a person who is attached or
// asked for.
type idleLimit struct {
	limit time.Duration // 0: none
	used  time.Time     // when a person was last there
	there bool          // a person is there
}

// saw notes whether a person is there now.
func (i *idleLimit) saw(there bool, now time.Time) {
	if there || i.there { // until this moment
		i.used = now
	}
	i.there = there
}

// end returns when the session is to be ended if it was last used then, or a zero time.
func (i *idleLimit) end(used time.Time) time.Time {
	if i.limit == 0 || i.there {
		return time.Time{}
	}
	return later(used, i.used).Add(i.limit)
}
