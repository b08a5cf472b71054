package watch

import (
	"maps"
	"slices"
	"strings"
	"time"

	"devtools/stack/files"
)

// A guard finds files that change only because of what the watch itself does. A round is a build or a start of the
// program.
//
// If a path has changed in three rounds in a row, its change is followed later. Two rounds are enough if the path was
// created in the first. The next round then comes at a time when nobody waits for it. If the path changes in that round
// too, the guard leaves it out, unless it has ever changed at another time. A path that was left out counts again once
// it changes at another time.
//
// A path that has changed at another time is somebody's work, whatever else writes it. Its changes are followed later
// each time, but always.
type guard struct {
	builds, starts rounds
	rhythm         rhythm
	hands          map[string]bool // paths that changed while neither a build nor a task ran
	foreign        map[string]int  // number of the last start after which the path changed while the program wrote nothing
	outputs        map[string]bool // paths that are left out
}

// rounds counts, for each path, in how many rounds in a row it has changed.
type rounds struct {
	last, this map[string]int
	made       map[string]bool // paths whose first change was their creation
	row        int             // number of rounds in a row before this one in which files only came or went, under any names
	written    bool            // in this round an existing file was written
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

// add notes a change of this round. It returns by how much the path's rounds in a row exceed the limit, negative below
// it. The limit is most, or one less if the first change created the path.
func (r *rounds) add(c files.Change) int {
	if r.this[c.Path] == 0 {
		if r.this[c.Path] = r.last[c.Path] + 1; r.this[c.Path] == 1 {
			r.made[c.Path] = c.Reason == files.Added
		}
	}
	r.written = r.written || !comesOrGoes(c) && !r.made[c.Path] // a new file may be filled a moment after it was seen
	if r.made[c.Path] {
		return r.this[c.Path] - most + 1
	}
	return r.this[c.Path] - most
}

// comesOrGoes reports whether a change adds or deletes a file, as opposed to writing an existing one.
func comesOrGoes(c files.Change) bool { return c.Reason == files.Added || c.Reason == files.Deleted }

// most is the number of rounds in a row in which a path may change by itself. mostRow is the number of rounds in a row
// in which files may come and go under new names each time.
//
// Other limits than most hold for the starts of a server. mostBlind holds if no condition says when the program is
// ready: somebody may well change a file soon after the start. mostReady holds once the program was seen to be ready. A
// person's change is then even more likely, because the program has already written what it writes at a start.
const (
	most      = 3
	mostRow   = 5
	mostBlind = 10
	mostReady = 60
)

// suspects reports whether one more change after this start may have to wait.
func (g *guard) suspects() bool { return len(g.starts.last) > 0 || g.rhythm.suspects() }

// strangers reports whether the program probably did not make the changes. That holds for a path if the program wrote
// nothing when the path changed, at this start or at one of the last few. The last few count because a program that
// still prints its first lines proves nothing.
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

// own notes the changes of a round in which only the watch was known to be at work. It returns the changes to follow
// nevertheless, those to follow later, and those to leave out from now on.
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

// loops reports whether each path has changed after this many starts in a row, or whether new files came after each
// start.
func (g *guard) loops(changes []files.Change, starts int) bool {
	all := true
	for _, c := range changes {
		all = g.starts.add(c) >= starts-most && all
	}
	g.unbuilt(changes)
	return all || g.starts.row >= max(starts, mostRow) && !g.starts.written
}

// others notes changes at another time: somebody is at work.
func (g *guard) others(changes []files.Change) {
	g.builds, g.starts = newRounds(), newRounds()
	g.unbuilt(changes)
}

// unbuilt notes changes that came while nothing was built.
func (g *guard) unbuilt(changes []files.Change) {
	for _, c := range changes {
		delete(g.outputs, c.Path)
		g.hands[c.Path] = true
	}
}

func (g *guard) list() []string { return slices.Sorted(maps.Keys(g.outputs)) }

// sift sorts the changes of a round; took is the duration of the round. It returns the changes to follow now, and has
// the others followed later or left out. Later means after the same time again: a person who saves files at any time
// may save during that time too. Changes by strangers are never left out.
func (w *watcher) sift(r *rounds, took time.Duration, changes []files.Change, strangers bool) []files.Change {
	if strangers {
		w.guard.unbuilt(changes)
	}
	follow, later, found := w.guard.own(r, changes)
	if len(found) > 0 {
		w.say(Event{
			Event: EventGuard, Paths: pathsOf(found), Reason: "they change only when the watch builds or starts the program",
			Hint: ignoreHint("to keep it so, add", found),
		})
	}
	if len(follow) == 0 { // otherwise they are built together with follow
		w.postpone(later, max(time.Second, took, 2*w.postponed.delay), strangers)
	}
	return follow
}

// postponed are changes that come so often with a build or a start that they wait.
type postponed struct {
	changes []files.Change
	timer   <-chan time.Time // when to follow them, or to try a build again; nil: nothing waits
	due     time.Time        // the time of timer
	delay   time.Duration    // last delay; 0 after a change at another time
}

// take returns the changes. They do not wait any more.
func (p *postponed) take() []files.Change {
	changes := p.changes
	p.changes, p.timer = nil, nil
	return changes
}

// has reports whether each of the paths waits already.
func (p *postponed) has(changes []files.Change) bool {
	return p.timer != nil && !slices.ContainsFunc(changes, func(c files.Change) bool {
		return !slices.ContainsFunc(p.changes, func(waiting files.Change) bool { return waiting.Path == c.Path })
	})
}

// postpone delays changes that come again and again with the work of the watch, and reports each delay. A change that
// comes while others wait is followed together with them. It makes them wait no longer than it would wait alone.
func (w *watcher) postpone(changes []files.Change, delay time.Duration, strangers bool) {
	if len(changes) == 0 {
		return
	}
	w.postponed.changes = merged(w.postponed.changes, changes)
	if w.postponed.timer != nil && (!strangers || time.Until(w.postponed.due) <= foreignDelay) {
		return
	}
	e := Event{Event: EventGuard, Paths: pathsOf(changes), Reason: "they change with each build or start"}
	if strangers {
		delay, e.Reason = foreignDelay, "they change after each start, but no process of the program was seen to write them"
	}
	if w.postponed.delay == 0 {
		e.Hint = ignoreHint("if the build or the program writes them, add", changes)
	}
	w.postponed.delay = min(delay, mostDelay)
	w.postponed.timer, w.postponed.due, e.DelayMs = time.After(w.postponed.delay), time.Now().Add(w.postponed.delay), w.postponed.delay.Milliseconds()
	w.say(e)
}

// ignoreHint returns the line of .devtoolsignore that leaves out the first of the changes.
func ignoreHint(text string, changes []files.Change) string {
	if strings.HasPrefix(changes[0].Path, "../") {
		return ""
	}
	return text + " to .devtoolsignore: /" + escaped(changes[0].Path)
}
