package hold

import "time"

// A zero time is no deadline.

// due reports whether the time has come.
func due(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }

// soonest returns the earlier of two times, of which a zero one does not count.
func soonest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
