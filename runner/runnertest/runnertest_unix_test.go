//go:build unix

package runnertest

import (
	"testing"

	"devtools/runner/proc"
	"devtools/runner/track"
)

func TestMain(m *testing.M) { PlayRole(m, nil) }

// A test leaves nothing running: its sessions end with it, those too that ignore signals, and their holders are gone.
func TestSessionsEndWithTheirTest(t *testing.T) {
	var left []proc.ID
	t.Run("test", func(t *testing.T) {
		dir := NewState(t)
		for _, line := range []string{"sleep 1000", "trap '' HUP INT TERM; echo up; while :; do sleep 1000; done"} {
			s := Begin(t, Shell(t, dir, line)).Session
			left = append(left, track.Identity(s.Holder), track.Identity(s.Main))
		}
		left = append(left, Bystander(t))
		for _, id := range left {
			if !id.Alive() {
				t.Errorf("process %d is not alive yet", id.PID)
			}
		}
	})
	for _, id := range left {
		if id.Alive() {
			t.Errorf("process %d lives on", id.PID)
		}
	}
}

// A verdict is a test that only notes that it was skipped or has failed.
type verdict struct {
	testing.TB
	skipped, failed bool
}

func (v *verdict) Helper()               {}
func (v *verdict) Skip(...any)           { v.skipped = true }
func (v *verdict) Skipf(string, ...any)  { v.skipped = true }
func (v *verdict) Fatalf(string, ...any) { v.failed = true }

// A test without its program is skipped, and on CI fails.
func TestNeed(t *testing.T) {
	for ci, fails := range map[string]bool{"": false, "true": true} {
		t.Setenv("CI", ci)
		missing := verdict{}
		Need(&missing, "a-program-that-nobody-has")
		if missing.failed != fails || !fails && !missing.skipped {
			t.Errorf("CI=%s: %+v", ci, missing)
		}
		there := verdict{}
		if path := Need(&there, "sh"); path == "" || there.failed || there.skipped {
			t.Errorf("CI=%s: sh is %q, %+v", ci, path, there)
		}
	}
}

// make stress runs loops often, and the tests that go test leaves out.
func TestRounds(t *testing.T) {
	for stress, want := range map[string]int{"": 2, "0": 2, "1": 100} {
		t.Setenv("DEVTOOLS_STRESS", stress)
		if n := Rounds(2, 100); n != want {
			t.Errorf("DEVTOOLS_STRESS=%s: %d rounds, want %d", stress, n, want)
		}
		v := verdict{}
		if NeedStress(&v); v.skipped != (want == 2) {
			t.Errorf("DEVTOOLS_STRESS=%s: skipped %v", stress, v.skipped)
		}
	}
}
