//go:build !linux

package blocked

import (
	"runtime"

	"devtools/runner/proc"
)

// This file has the functions that only Linux can answer. The other systems show only the terminal and its foreground
// process group.

// An activityScan is empty: this system offers nothing to examine.
type activityScan struct{}

func newActivityScan(int) *activityScan { return &activityScan{} }

// describe sets the activity that the state alone shows.
func (*activityScan) describe(a *Activity) {
	if a.plainly() {
		return
	}
	a.Doing, a.Text = DoingUnknown, "runs, or waits: this system does not tell"
}

func checkVisibility() Visibility { return Visibility{System: runtime.GOOS, PtraceScope: -1} }

// A watchState is what a watch keeps on this system: nothing.
type watchState struct{}

// examine finds the settings of the terminal and its foreground process group. It cannot examine any thread of that
// group.
func (w *Watch) examine() (snapshot, error) {
	var s snapshot
	front, err := w.tty.Foreground()
	if err != nil {
		return s, err
	}
	if s.Modes, err = w.tty.Modes(); err != nil {
		return s, err
	}
	p := process{pid: front, foreground: true, hidden: true, threads: []thread{{tid: front}}}
	if info, err := proc.Read(front); err == nil {
		p.name = info.Name
	}
	s.processes = []process{p}
	return s, nil
}

// Sees reports whether Blocked can see anything on this system.
func (w *Watch) Sees() bool { return false }

// Blocked always reports false, because this system does not tell.
func (w *Watch) Blocked() (Block, bool) { return Block{}, false }

// Asleep always reports false, because this system does not tell.
func (w *Watch) Asleep() (Block, bool) { return Block{}, false }

// Hides reports true: this system hides every program.
func (w *Watch) Hides() bool { return true }

// BytesRead always reports false, because this system does not tell.
func (b Block) BytesRead() (n int64, ok bool) { return 0, false }

// Close frees what w has open. w may be used again afterwards.
func (w *Watch) Close() {}
