package hold_test

import (
	"errors"
	"syscall"
	"testing"

	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// While a holder dies, a reader gets all of the output or an error, never a part of it.
func TestStressUnrecordedWhileItsHolderDies(t *testing.T) {
	state := runnertest.NewState(t)
	for range runnertest.Rounds(10, 200) {
		spec := runnertest.Shell(t, state, "seq 20000; echo end; sleep 1000")
		spec.NoRecord = true
		c := runnertest.Begin(t, spec)
		out := runnertest.NewCollector()
		go c.Follow(runnertest.WithPatience(t), 0, out.Sink())
		out.Await(t, "end\r\n")
		dir := runnertest.OpenState(t, state)
		read := func() (int, error) {
			log, err := runner.OpenLog(dir, c.Session.ID)
			if err != nil {
				return 0, err
			}
			defer log.Close()
			page, err := log.Page(0)
			return len(page.Data), err
		}
		whole, err := read()
		if err != nil || whole < 100000 {
			t.Fatalf("%d bytes, %v", whole, err)
		}
		if err := track.Identity(c.Session.Holder).Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for err == nil {
			var n int
			if n, err = read(); err == nil && n != whole {
				t.Fatalf("%d of %d bytes", n, whole)
			}
		}
		if !errors.Is(err, wire.ErrNotRecorded) {
			t.Fatal(err)
		}
	}
}
