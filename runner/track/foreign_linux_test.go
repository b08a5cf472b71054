package track_test

import (
	"os"
	"slices"
	"testing"

	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
)

// read describes a process.
func read(t *testing.T, pid int) proc.Info {
	t.Helper()
	info, err := proc.Read(pid)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// The holder of a session is known as one, and neither its program nor a program with the same arguments is.
func TestHolders(t *testing.T) {
	runnertest.Need(t, "setsid")
	s := runnertest.Begin(t, runnertest.SpecFor(t, runnertest.NewState(t), "sleep", "1000")).Session
	holder, main := read(t, s.Holder.PID), read(t, s.Main.PID)
	if !track.IsHolder(holder) || track.IsHolder(main) {
		t.Errorf("the holder counts as one: %v, its program: %v", track.IsHolder(holder), track.IsHolder(main))
	}
	if track.IsHolder(read(t, os.Getpid())) {
		t.Error("this process counts as a holder")
	}
	if track.Holds(s.Main.PID, []string{"sleep", "hold"}) {
		t.Error("another program with the argument hold counts as a holder")
	}
	if !track.Holds(s.Holder.PID, []string{"devtools", "hold"}) || track.Holds(s.Holder.PID, []string{"devtools", "hold", "more"}) {
		t.Error("the arguments of a holder are others")
	}
}

// What descends from another session's holder is left out, and the rest stays.
func TestOwn(t *testing.T) {
	s := runnertest.Begin(t, runnertest.SpecFor(t, runnertest.NewState(t), "sleep", "1000")).Session
	stranger := sleeper(t)
	mine := read(t, stranger.Process.Pid)
	all := []proc.Info{mine, read(t, s.Holder.PID), read(t, s.Main.PID)}
	if got := track.Own(all); !slices.Equal(got, all[:1]) {
		t.Errorf("ours are %+v", got)
	}
	if len(all) != 3 || all[2].PID != s.Main.PID {
		t.Error("the list that was given has changed")
	}
	if got := track.Own(all[:1]); !slices.Equal(got, all[:1]) {
		t.Errorf("without a holder: %+v", got)
	}
}

// A process with a child of its own has not only other sessions below it.
func TestOnlyNested(t *testing.T) {
	sleeper(t)
	if track.OnlyNested() {
		t.Error("a child that is no holder is not seen")
	}
}
