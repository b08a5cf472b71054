package hold

import (
	"testing"
	"time"
)

// The limit runs from the last use. A person who is there holds it, and counts as use until the person is gone.
func TestIdleLimit(t *testing.T) {
	begin := time.Now()
	at := func(minutes int) time.Time { return begin.Add(time.Duration(minutes) * time.Minute) }
	var i idleLimit
	if end := i.end(begin); !end.IsZero() {
		t.Errorf("without a limit it ends at %v", end)
	}
	i.limit = 10 * time.Minute
	for _, step := range []struct {
		minute    int
		there     bool
		used, end int // end -1: none
	}{
		{minute: 0, used: 0, end: 10},
		{minute: 4, used: 3, end: 13},
		{minute: 5, there: true, used: 3, end: -1},
		{minute: 50, there: true, used: 3, end: -1},
		{minute: 60, used: 3, end: 70},
		{minute: 65, used: 3, end: 70},
		{minute: 66, used: 66, end: 76},
	} {
		i.saw(step.there, at(step.minute))
		want := time.Time{}
		if step.end >= 0 {
			want = at(step.end)
		}
		if end := i.end(at(step.used)); !end.Equal(want) {
			t.Errorf("minute %d: it ends at %v, want %v", step.minute, end, want)
		}
	}
}
