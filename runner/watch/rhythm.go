package watch

import (
	"maps"
	"slices"
	"time"

	"devtools/stack/files"
)

// A rhythm finds files that change at the same time after each start of the program. Only the program itself is that
// regular.
type rhythm struct {
	starts int
	beats  map[string]beat // by path
	any    beat            // for files that come and go, under any names
}

// A beat is the time between a start and the first change of a path after it.
type beat struct {
	start, count int // the last start, and the number of starts in a row
	least, most  time.Duration
}

// A beat is steady after leastBeats starts in a row. Its times may differ by at most a tenth, or by mostJitter. Files
// with new names each time need leastAny starts in a row.
const (
	leastBeats = 5
	leastAny   = 10
	mostJitter = 200 * time.Millisecond
)

func (b beat) even() bool { return b.most-b.least <= max(mostJitter, b.least/10) }

// next begins the count for a new start.
func (r *rhythm) next() {
	r.starts++
	maps.DeleteFunc(r.beats, func(_ string, b beat) bool { return b.start < r.starts-1 })
}

// suspects reports whether one more change may make a beat steady.
func (r *rhythm) suspects() bool {
	for _, b := range r.beats {
		if b.count >= leastBeats-1 {
			return true
		}
	}
	return r.any.count >= leastAny-1
}

// after adds a change that came the time d after that start.
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

// steady adds changes that came this long after the last start. It reports whether all of them come at that time after
// each start.
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
