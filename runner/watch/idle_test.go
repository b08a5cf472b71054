package watch

import (
	"testing"
	"time"

	"devtools/runner/proc"
	"devtools/stack/files"
)

// TestIdleness looks at a program at these times, in milliseconds, and asks when it wrote nothing.
func TestIdleness(t *testing.T) {
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	server, child := proc.ID{PID: 7}, proc.ID{PID: 8}
	d := &idleness{}
	for _, look := range []struct {
		ms      int
		written map[proc.ID]uint64
	}{
		{0, map[proc.ID]uint64{server: 0}},
		{100, map[proc.ID]uint64{server: 0}},
		{200, map[proc.ID]uint64{server: 1}}, // it has written
		{300, map[proc.ID]uint64{server: 1}},
		{400, map[proc.ID]uint64{server: 1, child: 0}}, // another process is there
		{500, map[proc.ID]uint64{server: 1, child: 0}},
		{600, map[proc.ID]uint64{server: 1}}, // and gone
		{700, nil},
		{800, nil},
		{900, map[proc.ID]uint64{server: 1}},
		{1000, map[proc.ID]uint64{server: 1}},
		{1100, map[proc.ID]uint64{server: 1}},
	} {
		d.add(look.written, at(look.ms), at(look.ms+2))
	}
	for ms, want := range map[int]bool{
		-1: false, 1: false, 2: true, 50: true, 90: true, 95: false, 150: false, 200: false, 250: true, 350: false, 450: true,
		550: false, 650: false, 750: false, 850: false, 950: true, 1050: true, 1095: false, 1200: false,
	} {
		if got := d.covers(at(ms)); got != want {
			t.Errorf("after %d ms: %v, want %v", ms, got, want)
		}
	}
	if n := len(d.spans); n != 4 {
		t.Errorf("%d times are kept, want 4", n)
	}
}

// A path is somebody else's for a few starts after one at which the program wrote nothing when it changed.
func TestStrangers(t *testing.T) {
	g := newGuard(nil)
	a, b := files.Change{Path: "a"}, files.Change{Path: "b"}
	for i, start := range []struct {
		changes []files.Change
		idle    bool
		want    bool
	}{
		{[]files.Change{a}, false, false},
		{[]files.Change{a}, true, true},
		{[]files.Change{a, b}, false, false},
		{[]files.Change{a}, false, true},
		{[]files.Change{a}, false, true},
		{[]files.Change{a}, false, false},
		{[]files.Change{a, b}, true, true},
		{[]files.Change{b}, false, true},
	} {
		g.rhythm.next()
		if got := g.strangers(start.changes, start.idle); got != start.want {
			t.Errorf("start %d: %v, want %v", i, got, start.want)
		}
	}
}
