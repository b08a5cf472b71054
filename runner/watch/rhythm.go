package watch

import (
	"time"

	"devtools/stack/files"
)

// A rhythm finds files that change as long after each start of the program as after the one before: nobody but the
// program is that regular.
type rhythm struct {
	starts int
	beats  map[string]beat
}

// A beat is how long after starts a path has changed first.
type beat struct {
	start, count int // the last start, and how many in a row there were
	least, most  time.Duration
}

// A rhythm is steady after so many starts, with a difference between them of no more than a tenth, or mostJitter.
const (
	leastBeats = 5
	mostJitter = 200 * time.Millisecond
)

func (b beat) even() bool   { return b.most-b.least <= max(mostJitter, b.least/10) }
func (b beat) steady() bool { return b.count >= leastBeats && b.even() }

// next begins to count from a new start.
func (r *rhythm) next() { r.starts++ }

// steady takes in what has changed so long after the last start, and reports whether all of that does so each time.
func (r *rhythm) steady(changes []files.Change, after time.Duration) bool {
	all := true
	for _, c := range changes {
		b, known := r.beats[c.Path]
		if !known || b.start != r.starts {
			follows := b.start == r.starts-1
			b.start, b.count, b.least, b.most = r.starts, b.count+1, min(b.least, after), max(b.most, after)
			if !known || !follows || !b.even() {
				b = beat{r.starts, 1, after, after}
			}
			r.beats[c.Path] = b
		}
		all = all && b.steady()
	}
	return all
}
