package hold_test

import (
	"bytes"
	"errors"
	"testing"

	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// The output of a session that is not recorded is there until the last reader is done. By then the session counts as ended.
func TestStay(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.SpecFor(t, state, "echo", "kept")
	spec.NoRecord = true
	c := runnertest.Begin(t, spec)
	if _, err := c.Result(runnertest.WithPatience(t)); err != nil {
		t.Fatal(err)
	}
	holder := track.Identity(c.Session.Holder)
	dir := runnertest.OpenState(t, state)
	log, err := runner.OpenLog(dir, c.Session.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if page, err := log.Page(0); err != nil || string(page.Data) != "kept\r\n" || !page.Closed {
		t.Errorf("%+v, %v", page, err)
	}
	if _, err := runner.Kill(runnertest.WithPatience(t), dir, []string{c.Session.ID}, "TERM", 0); !errors.Is(err, wire.ErrEnded) {
		t.Errorf("kill: %v", err)
	}
	var out bytes.Buffer
	next, missing, err := log.Follow(runnertest.WithPatience(t), 0, wire.Sink{Write: func(p []byte, _ transcript.Kind, _ int64) error {
		out.Write(p)
		return nil
	}})
	if err != nil || next != 6 || missing != 0 || out.String() != "kept\r\n" {
		t.Errorf("follow: %d, %d, %q, %v", next, missing, out.String(), err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if page, err := log.Page(0); err != nil || string(page.Data) != "kept\r\n" {
		t.Errorf("after another reader is done: %+v, %v", page, err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := proc.Await(runnertest.WithPatience(t), holder); err != nil {
		t.Errorf("the holder stays without a reader: %v", err)
	}
}
