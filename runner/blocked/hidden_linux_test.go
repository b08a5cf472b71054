package blocked

import (
	"testing"
	"time"
)

func TestPulse(t *testing.T) {
	var p pulse
	start := time.Now()
	for _, tt := range []struct {
		at       time.Duration
		switches uint64
		want     bool
	}{
		{0, 7, false}, // nothing is known of the time before
		{100 * time.Millisecond, 7, false},
		{200 * time.Millisecond, 8, true},
		{time.Second, 8, true},
		{1300 * time.Millisecond, 9, true}, // a loop that runs each second
		{2400 * time.Millisecond, 9, true},
		{2500 * time.Millisecond, 9, false},
		{time.Minute, 10, false}, // it ran some time since the last look
	} {
		if got := p.beats(start.Add(tt.at), tt.switches); got != tt.want {
			t.Errorf("after %v: %v", tt.at, got)
		}
	}
}
