package watch

import (
	"maps"
	"slices"
	"time"

	"devtools/stack/files"
)

// A rhythm finds files that change as long after each start of the program as after the one before: nobody but the
// program is that regular.
type rhythm struct {
	starts int
	beats  map[string]beat // by path
	any    beat            // of files that come and go, whatever their names
}

// A beat is how long after starts a path has changed first.
type beat struct {
	start, count int // the last start, and how many in a row there were
	least, most  time.Duration
}

// It is steady after so many starts, with a difference between them of no more than a tenth, or mostJitter.
// Paths that are others each time have to be steady for longer.
const (
	leastBeats = 5
	leastAny   = 10
	mostJitter = 200 * time.Millisecond
)

func (b beat) even() bool { return b.most-b.least <= max(mostJitter, b.least/10) }

// next begins to count from a new start.
func (r *rhythm) next() {
	r.starts++
	maps.DeleteFunc(r.beats, func(_ string, b beat) bool { return b.start < r.starts-1 })
}

// suspects reports whether one more change may be steady.
func (r *rhythm) suspects() bool {
	for _, b := range r.beats {
		if b.count >= leastBeats-1 {
			return true
		}
	}
	return r.any.count >= leastAny-1
}

// after takes in one more change, so long after that start.
func (b beat) after(start int, d time.Duration) beat {
	if b.start == start {
		return b
	}
	next := beat{start, b.count + 1, min(b.least, d), max(b.most, d)}
	if b.count == 0 || b.start != start-1 || !next.even() {
		return beat{start, 1, d, d}
	}
	return next
}

// steady takes in what has changed so long after the last start, and reports whether all of that does so each time.
func (r *rhythm) steady(changes []files.Change, after time.Duration) bool {
	all := true
	for _, c := range changes {
		b := r.beats[c.Path].after(r.starts, after)
		r.beats[c.Path] = b
		all = all && b.count >= leastBeats
	}
	if r.any = r.any.after(r.starts, after); slices.ContainsFunc(changes, func(c files.Change) bool { return !comesOrGoes(c) }) {
		r.any = beat{}
	}
	return all || r.any.count >= leastAny
}
