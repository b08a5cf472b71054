package hold

import (
	"syscall"
	"testing"
	"time"
)

// The time limit ends the session once. It counts as timed out only if the command still runs.
func TestTimeLimit(t *testing.T) {
	for _, exited := range []bool{false, true} {
		l := &limits{core: newCore(t)}
		var ends []time.Duration
		l.end = func(sig syscall.Signal, grace time.Duration) {
			if ends = append(ends, grace); sig != syscall.SIGTERM {
				t.Errorf("it ends with %v", sig)
			}
		}
		if l.begin(); !l.deadline().IsZero() {
			t.Error("a deadline without a limit")
		}
		l.spec.TimeLimit, l.spec.KillAfter = time.Minute, 3*time.Second
		l.begin()
		at := l.deadline()
		if !at.Equal(l.started.Add(time.Minute)) {
			t.Errorf("it ends after %v", at.Sub(l.started))
		}
		l.ended.Store(exited)
		l.tick(at.Add(-1))
		if len(ends) > 0 {
			t.Error("it ends early")
		}
		l.tick(at)
		l.tick(at.Add(time.Hour))
		if len(ends) != 1 || ends[0] != 3*time.Second || l.session.TimedOut == exited {
			t.Errorf("exited %v: ends %v, timed out %v", exited, ends, l.session.TimedOut)
		}
	}
}

// There is no limit any more once the result is known.
func TestTimeLimitFinished(t *testing.T) {
	l := &limits{core: newCore(t), end: func(syscall.Signal, time.Duration) { t.Error("it ends") }}
	l.spec.TimeLimit = time.Minute
	l.begin()
	l.finish()
	if l.tick(l.started.Add(time.Hour)); !l.deadline().IsZero() {
		t.Error("a deadline")
	}
}

// A tether that is gone for good ends the session, and what it is tethered to later does not matter any more.
func TestTetherEnds(t *testing.T) {
	var ends []time.Duration
	l := &limits{core: newCore(t), end: func(_ syscall.Signal, grace time.Duration) { ends = append(ends, grace) }}
	at := time.Now()
	l.tether.end = at
	if got := l.deadline(); !got.Equal(at) {
		t.Errorf("deadline %v", got.Sub(at))
	}
	l.tick(at)
	l.tick(at)
	if len(ends) != 1 || ends[0] != defaultGrace || !l.deadline().IsZero() {
		t.Errorf("it ends with %v", ends)
	}
}
