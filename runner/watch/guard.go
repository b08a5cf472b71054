package watch

import (
	"maps"
	"slices"

	"devtools/stack/files"
)

// A guard finds files that change only because of what the watch itself does. Three times in a row a path has to
// change while the build ran, or right after the program was started, for the guard to leave it out; two times if the
// first of them has made the file. A path that is left out counts again when it changes at another time.
type guard struct {
	times   map[string]int  // in a row
	made    map[string]bool // the first time was its making
	outputs map[string]bool // are left out
}

func newGuard(outputs []string) *guard {
	g := &guard{times: map[string]int{}, made: map[string]bool{}, outputs: map[string]bool{}}
	for _, path := range outputs {
		g.outputs[path] = true
	}
	return g
}

// most is how often in a row a path may change by itself.
const most = 3

// own takes in what has changed while only the watch was known to be at work. It returns what of that has to be
// followed all the same, and what is left out from now on.
func (g *guard) own(changes []files.Change) (follow []files.Change, found []files.Change) {
	times := map[string]int{}
	for _, c := range changes {
		if g.outputs[c.Path] {
			continue
		}
		n := g.times[c.Path] + 1
		if n == 1 {
			g.made[c.Path] = c.Reason == files.Added
		}
		if n >= most || n == most-1 && g.made[c.Path] {
			g.outputs[c.Path] = true
			found = append(found, c)
			continue
		}
		times[c.Path] = n
		follow = append(follow, c)
	}
	g.times = times
	return follow, found
}

// loops reports whether all that has changed has done so several times in a row.
func (g *guard) loops(changes []files.Change) bool {
	times := map[string]int{}
	all := true
	for _, c := range changes {
		times[c.Path] = g.times[c.Path] + 1
		all = all && times[c.Path] >= most
	}
	g.times = times
	return all
}

// others takes in what has changed at another time: somebody is at work.
func (g *guard) others(changes []files.Change) {
	clear(g.times)
	for _, c := range changes {
		delete(g.outputs, c.Path)
	}
}

func (g *guard) list() []string { return slices.Sorted(maps.Keys(g.outputs)) }
