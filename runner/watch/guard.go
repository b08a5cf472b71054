package watch

import (
	"maps"
	"slices"
	"strings"
	"time"

	"devtools/stack/files"
)

// A guard finds files that change only because of what the watch itself does. A path that has changed in three rounds in
// a row, which are builds or starts of the program, is followed later; in two if the first of them has made the file.
// If it changes in the round after that too, which nobody waited for, a path that has never changed at another time is
// left out. It counts again when it does. One that has is somebody's work, whatever else writes it: that is followed
// later each time, but always.
type guard struct {
	builds, starts rounds
	rhythm         rhythm
	hands          map[string]bool // have changed while neither a build nor a task ran
	foreign        map[string]int  // the last start after which they changed while the program wrote nothing
	outputs        map[string]bool // are left out
}

// rounds count in how many in a row a path has changed.
type rounds struct {
	last, this map[string]int
	made       map[string]bool // the first time was its making
	row        int             // in so many rounds before this one files came or went, whatever their names
	written    bool            // a file that was there before was written in this one
}

func newRounds() rounds {
	return rounds{last: map[string]int{}, this: map[string]int{}, made: map[string]bool{}}
}

// next begins a round.
func (r *rounds) next() {
	if r.row++; len(r.this) == 0 || r.written {
		r.row = 0
	}
	if len(r.this) == 0 {
		clear(r.made)
	}
	r.last, r.this, r.written = r.this, map[string]int{}, false
}

// add takes in a change of this round, and returns by how many rounds that is more than many.
func (r *rounds) add(c files.Change) int {
	r.written = r.written || !comesOrGoes(c)
	if r.this[c.Path] == 0 {
		if r.this[c.Path] = r.last[c.Path] + 1; r.this[c.Path] == 1 {
			r.made[c.Path] = c.Reason == files.Added
		}
	}
	if r.made[c.Path] {
		return r.this[c.Path] - most + 1
	}
	return r.this[c.Path] - most
}

// comesOrGoes reports whether a change is no writing of a file that was there before.
func comesOrGoes(c files.Change) bool { return c.Reason == files.Added || c.Reason == files.Deleted }

// most is in how many rounds in a row a path may change by itself, and mostRow in how many files may come and go that have
// other names each time. After the start of a program of which nobody says when it is ready somebody may well be quick to
// change something, and all the more when it was seen to be ready: it has written by that time what it writes at a start.
const (
	most      = 3
	mostRow   = 5
	mostBlind = 10
	mostReady = 60
)

// suspects reports whether one more change after this start may have to wait.
func (g *guard) suspects() bool { return len(g.starts.last) > 0 || g.rhythm.suspects() }

// strangers reports whether the program probably did not make the changes. That holds for a path if the program wrote
// nothing when it changed, now or at one of the last few starts: a program that still prints its first lines proves nothing.
func (g *guard) strangers(changes []files.Change, idle bool) bool {
	all := true
	for _, c := range changes {
		if idle {
			g.foreign[c.Path] = g.rhythm.starts
		}
		start, ok := g.foreign[c.Path]
		all = all && ok && g.rhythm.starts-start <= most
	}
	return all
}

func newGuard(outputs []string) *guard {
	g := &guard{
		builds: newRounds(), starts: newRounds(), rhythm: rhythm{beats: map[string]beat{}},
		hands: map[string]bool{}, foreign: map[string]int{}, outputs: map[string]bool{},
	}
	for _, path := range outputs {
		g.outputs[path] = true
	}
	return g
}

// own takes in what has changed in a round, while only the watch was known to be at work. It returns what of that has to
// be followed all the same, what later, and what is left out from now on.
func (g *guard) own(r *rounds, changes []files.Change) (follow, later, found []files.Change) {
	for _, c := range changes {
		if g.outputs[c.Path] {
			continue
		}
		switch n := r.add(c); {
		case n < 0 && r.row < mostRow:
			follow = append(follow, c)
		case n <= 0 || g.hands[c.Path]:
			later = append(later, c)
		default:
			g.outputs[c.Path] = true
			found = append(found, c)
		}
	}
	return follow, later, found
}

// loops reports whether all that has changed has done so after so many starts in a row, or new files came after each.
func (g *guard) loops(changes []files.Change, starts int) bool {
	all := true
	for _, c := range changes {
		all = g.starts.add(c) >= starts-most && all
	}
	g.unbuilt(changes)
	return all || g.starts.row >= max(starts, mostRow) && !g.starts.written
}

// others takes in what has changed at another time: somebody is at work.
func (g *guard) others(changes []files.Change) {
	g.builds, g.starts = newRounds(), newRounds()
	g.unbuilt(changes)
}

// unbuilt takes in what has changed while nothing was built.
func (g *guard) unbuilt(changes []files.Change) {
	for _, c := range changes {
		delete(g.outputs, c.Path)
		g.hands[c.Path] = true
	}
}

func (g *guard) list() []string { return slices.Sorted(maps.Keys(g.outputs)) }

// sift returns what has to be followed of what has changed in a round that has taken so long, and has the rest followed
// later or left out. Later is when as much time again has gone by: who saves files at any time does so then too. What
// strangers change is never left out.
func (w *watcher) sift(r *rounds, took time.Duration, changes []files.Change, strangers bool) []files.Change {
	if strangers {
		w.guard.unbuilt(changes)
	}
	follow, later, found := w.guard.own(r, changes)
	if len(found) > 0 {
		w.say(Event{
			Event: EventGuard, Paths: pathsOf(found), Why: "they change only when the watch builds or starts the program: they are left out when that is why",
			Hint: ignoreHint("say so", found),
		})
	}
	if len(follow) == 0 { // else they are built with these
		w.hesitate(later, max(time.Second, took, 2*w.loopDelay), strangers)
	}
	return follow
}

// hesitate has changes followed after a delay, that come again and again with what the watch does, and tells of each
// delay. What changes while others wait is followed with them, and has them wait no longer than it would alone.
func (w *watcher) hesitate(changes []files.Change, delay time.Duration, strangers bool) {
	if len(changes) == 0 {
		return
	}
	w.held = merged(w.held, changes)
	if w.waiting != nil && (!strangers || time.Until(w.due) <= foreignDelay) {
		return
	}
	e := Event{Event: EventGuard, Paths: pathsOf(changes), Why: "they change with each build or start"}
	if strangers {
		delay, e.Why = foreignDelay, "they change after each start, but no process of the program was seen to write them"
	}
	if w.loopDelay == 0 {
		e.Hint = ignoreHint("if the build or the program writes them, say so", changes)
	}
	w.loopDelay = min(delay, mostDelay)
	w.waiting, w.due, e.DelayMs = time.After(w.loopDelay), time.Now().Add(w.loopDelay), w.loopDelay.Milliseconds()
	w.say(e)
}

// ignoreHint tells the line of .devtoolsignore that leaves out the first of the changes.
func ignoreHint(text string, changes []files.Change) string {
	if strings.HasPrefix(changes[0].Path, "../") {
		return ""
	}
	return text + " in .devtoolsignore: /" + escaped(changes[0].Path)
}
