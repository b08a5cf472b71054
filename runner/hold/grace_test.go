package hold

import (
	"testing"
	"time"

	"devtools/runner/proc"
)

// Each new descendant restarts the grace, but not for ever. An empty tree never ends it: wait4 does. Nor does it end while
// output is unread.
func TestGrace(t *testing.T) {
	begin, length := time.Now(), time.Second
	id := func(pid int) []proc.ID { return []proc.ID{{PID: pid}} }
	var g grace
	if at := g.deadline(); !at.IsZero() {
		t.Errorf("a deadline %v before the grace", at)
	}
	g.begin(begin, length, 0)
	if at := g.deadline(); !at.Equal(begin.Add(firstLook)) {
		t.Errorf("the first look is after %v", at.Sub(begin))
	}
	for _, step := range []struct {
		after  time.Duration
		living []proc.ID
		over   bool
		next   time.Duration // deadline
		unread bool
	}{
		{firstLook, nil, false, firstLook + graceCheck, false},
		{100 * time.Millisecond, id(1), false, 100*time.Millisecond + graceCheck, false},
		{1000 * time.Millisecond, id(1), false, 1000*time.Millisecond + graceCheck, false}, // restarted at 100 ms
		{1050 * time.Millisecond, id(2), false, 1050*time.Millisecond + graceCheck, false}, // restarted again
		{2040 * time.Millisecond, id(2), false, 2050 * time.Millisecond, false},            // the look comes at the end
		{3 * time.Second, nil, false, 3*time.Second + graceCheck, false},
		{3050 * time.Millisecond, id(2), false, 3050*time.Millisecond + graceCheck, true},
		{3100 * time.Millisecond, id(2), true, 0, false},
	} {
		now := begin.Add(step.after)
		if over := g.saw(step.living, begin, now, step.unread); over != step.over {
			t.Errorf("after %v with %v: over %v", step.after, step.living, over)
		}
		if at := g.deadline(); step.over != at.IsZero() || !step.over && !at.Equal(begin.Add(step.next)) {
			t.Errorf("after %v with %v: next look after %v, want %v", step.after, step.living, at.Sub(begin), step.next)
		}
	}
}

// A tree that always has new descendants gets ten times the grace.
func TestGraceAtMost(t *testing.T) {
	begin, length := time.Now(), 200*time.Millisecond
	var g grace
	g.begin(begin, length, 0)
	pid, now := 0, begin
	for ; now.Sub(begin) < time.Hour; now = g.deadline() {
		pid++
		if g.saw([]proc.ID{{PID: pid}}, begin, now, false) {
			break
		}
	}
	if got := now.Sub(begin); got != graceMost*length {
		t.Errorf("it is over after %v", got)
	}
}

// Output prolongs the grace by the quiet that must follow it, which is no longer than the grace, up to ten times the
// grace. Earlier output changes nothing.
func TestGraceWhileItPrints(t *testing.T) {
	living := []proc.ID{{PID: 1}}
	for _, c := range []struct {
		length, every, until time.Duration // of the grace; between two outputs; of the last output
		want                 time.Duration // end of the grace
	}{
		{3 * time.Second, 50 * time.Millisecond, 0, 3 * time.Second},
		{3 * time.Second, 50 * time.Millisecond, 2 * time.Second, 3 * time.Second},
		{3 * time.Second, 50 * time.Millisecond, 2900 * time.Millisecond, 3400 * time.Millisecond},
		{3 * time.Second, 50 * time.Millisecond, 5 * time.Second, 5500 * time.Millisecond},
		{3 * time.Second, time.Second, time.Hour, 3500 * time.Millisecond}, // the output at 3 s is the last
		{3 * time.Second, 50 * time.Millisecond, time.Hour, 30 * time.Second},
		{100 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond},
		{0, 50 * time.Millisecond, time.Hour, 0},
	} {
		begin := time.Now()
		var g grace
		g.begin(begin, c.length, 0)
		g.saw(living, begin, begin, false)
		now := begin
		for over := false; !over && now.Sub(begin) < time.Hour; {
			if now = g.deadline(); now.IsZero() {
				now = begin
				break
			}
			printed := begin.Add(min(now.Sub(begin).Truncate(c.every), c.until))
			over = g.saw(living, printed, now, false)
		}
		if got := now.Sub(begin); got != c.want {
			t.Errorf("%v, output each %v for %v: it is over after %v, want %v", c.length, c.every, c.until, got, c.want)
		}
	}
}
