package watch

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"devtools/runner/proc"
	"devtools/stack/files"
)

// An idleness knows when the processes of a program wrote nothing, not even to their terminal. What was written to the
// sources in such a time is not their doing. They may still have done what needs no write, such as a rename, a truncation or
// utime(2), or asked a process outside the tree to write: such a change is followed sooner, but not at once.
type idleness struct {
	root int // the processes are its descendants

	mu      sync.Mutex
	written map[proc.ID]uint64 // at the last look, nil where that is not told
	spans   []span             // the last may go on
}

// A span is a time in which nothing was written.
type span struct{ from, to time.Time }

// foreignDelay is how long a change waits that strangers make. A program that sets the time of a file 0.3 s after each
// start, which is no write, is started 45 times in a minute; 14 times where the delay grows.
const foreignDelay = time.Second

// Between two looks at a program there is leastIdle, or a tenth of the time since its start: most changes then have a look
// shortly before them. A look takes 0.3 ms for three processes and 1.7 ms for six of Node.js; for large trees there is ten
// times that in between.
const (
	leastIdle = 25 * time.Millisecond
	idleShare = 10
)

// watchIdle looks at the descendants of a process, which have just been started, until ctx ends.
func watchIdle(ctx context.Context, root int) *idleness {
	d := &idleness{root: root}
	go func() {
		for start := time.Now(); ctx.Err() == nil; {
			took := d.look()
			timer := time.NewTimer(max(leastIdle, time.Since(start)/idleShare, took*idleShare))
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
			}
		}
	}()
	return d
}

// look takes in what was written by now.
func (d *idleness) look() (took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	begin := time.Now()
	written := proc.Written(d.root)
	end := time.Now()
	d.add(written, begin, end)
	return end.Sub(begin)
}

// add takes in what was written when a look began and, at the most, when it ended.
func (d *idleness) add(written map[proc.ID]uint64, begin, end time.Time) {
	if len(d.spans) > 0 && written != nil && maps.Equal(written, d.written) {
		d.spans[len(d.spans)-1].to = begin
		return
	}
	d.spans = slices.DeleteFunc(d.spans, span.short)
	d.spans, d.written = append(d.spans, span{end, end}), written
}

// short reports whether no time of a file can lie in the span.
func (s span) short() bool { return s.to.Sub(s.from) < clockSlack }

// covers reports whether nothing was written when a file got that time, which may be so much earlier than the clock.
func (d *idleness) covers(t time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.spans, func(s span) bool { return !t.Before(s.from) && !t.Add(clockSlack).After(s.to) })
}

// wroteNothing reports whether the program was seen to write nothing when each of these changes came, of which the last
// scan tells. The clocks of other machines prove nothing.
func (w *watcher) wroteNothing(changes []files.Change) bool {
	if w.program == nil || w.program.idle == nil || w.sources.bell.events == nil {
		return false
	}
	w.program.idle.look()
	return !slices.ContainsFunc(changes, func(c files.Change) bool {
		at := w.sources.changedAt(w.seen, c.Path)
		return at == 0 || !w.program.idle.covers(time.Unix(0, at))
	})
}

// changedAt returns when the inode of a path that was told has changed, or of its folder where it is gone. 0 is not known.
func (s *sources) changedAt(now *state, path string) int64 {
	full := filepath.FromSlash(path)
	if !filepath.IsAbs(full) {
		full = filepath.Join(s.Base, full)
	}
	for i, t := range s.tops {
		if rel, err := filepath.Rel(t.path, full); err == nil && filepath.IsLocal(rel) {
			return now.tops[i].ChangedAt(filepath.ToSlash(rel))
		}
	}
	return 0
}
