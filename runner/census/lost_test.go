package census

import (
	"os"
	"testing"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// process returns a process that is not alive.
func process(pid int) ledger.Process { return ledger.Process{PID: pid, Start: 1, Boot: "earlier"} }

// The journal's processes that are no longer among the living ones have ended.
func TestNotLiving(t *testing.T) {
	a, b, again := process(1), process(2), process(1)
	again.Start = 2 // another process with the pid of a
	for i, test := range []struct{ journal, living, want []ledger.Process }{
		{nil, []ledger.Process{a}, nil},
		{[]ledger.Process{a, b}, nil, []ledger.Process{a, b}},
		{[]ledger.Process{a, b}, []ledger.Process{b}, []ledger.Process{a}},
		{[]ledger.Process{a}, []ledger.Process{again}, []ledger.Process{a}},
	} {
		got := notLiving(test.journal, test.living)
		if len(got) != len(test.want) {
			t.Errorf("test %d: %v, want %v", i, got, test.want)
			continue
		}
		for j := range got {
			if track.Identity(got[j]) != track.Identity(test.want[j]) {
				t.Errorf("test %d: %v, want %v", i, got, test.want)
			}
		}
	}
}

// Of the leftovers only those count as begun that are alive, unknown, and not the main process.
func TestUnlisted(t *testing.T) {
	info, err := proc.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	self := track.Describe(info, proc.CommandLine(info.PID))
	s := ledger.Session{Main: process(1), Leftovers: []ledger.Process{process(1), process(2), self}}
	if got := unlisted(s, nil); len(got) != 1 || got[0].PID != self.PID {
		t.Errorf("nothing is known: %v", got)
	}
	if got := unlisted(s, []ledger.Process{self}); len(got) != 0 {
		t.Errorf("it is known: %v", got)
	}
	s.Main = self
	if got := unlisted(s, nil); len(got) != 0 {
		t.Errorf("it is the main process: %v", got)
	}
}
