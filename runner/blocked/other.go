//go:build !linux

package blocked

import (
	"runtime"

	"devtools/runner/proc"
)

// This file has the functions that only Linux can answer. The other systems show only the terminal and its foreground
// process group.

// A look is empty: this system offers nothing to examine.
type look struct{}

func newLook(int) *look { return &look{} }

// at sets the activity that the state alone shows.
func (*look) at(a *Activity) {
	if a.plainly() {
		return
	}
	a.Doing, a.Text = DoingUnknown, "runs, or waits: this system does not tell"
}

func checkVisibility() Visibility { return Visibility{System: runtime.GOOS, PtraceScope: -1} }

// A lookout is what a watch keeps on this system: nothing.
type lookout struct{}

// look finds the settings of the terminal and its foreground process group. It cannot examine any thread of that group.
func (w *Watch) look() (reading, error) {
	var r reading
	front, err := w.tty.Foreground()
	if err != nil {
		return r, err
	}
	if r.Modes, err = w.tty.Modes(); err != nil {
		return r, err
	}
	p := member{pid: front, front: true, hidden: true, threads: []thread{{tid: front}}}
	if info, err := proc.Read(front); err == nil {
		p.name = info.Name
	}
	r.processes = []member{p}
	return r, nil
}

// Sees reports whether Blocked can see anything on this system.
func (w *Watch) Sees() bool { return false }

// Blocked always reports false, because this system does not tell.
func (w *Watch) Blocked() (Block, bool) { return Block{}, false }

// Close frees what w has open. w may be used again afterwards.
func (w *Watch) Close() {}
