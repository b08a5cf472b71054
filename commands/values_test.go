package commands

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	day := 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0": 0, "30": 30 * time.Second, "1.5": 1500 * time.Millisecond, "500ms": 500 * time.Millisecond, "1h30m": 90 * time.Minute,
		"7d": 7 * day, "1.5d": 36 * time.Hour, "2w": 14 * day, "1w2d12h": 9*day + 12*time.Hour, "0d": 0, "1d1.5s": day + 1500*time.Millisecond,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "d", "w", "-1", "-1d", "1d-2h", "1d+2h", "2d1w", "1d2d", "1dd", "1e3d", "soon", "1d x", "1 d", "NaN", "Inf", "99999999999w", "106751d24h", "9e18", "1x",
	} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// A duration is never negative, and reads the same as what Go writes of it.
func FuzzParseDuration(f *testing.F) {
	for _, text := range []string{"30", "1.5", "500ms", "7d", "1w2d12h", "1d-1h", "106751d23h47m16.854775807s", "1e400"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDuration(text)
		if err != nil {
			return
		}
		if d < 0 {
			t.Fatalf("%q: %v", text, d)
		}
		if again, err := parseDuration(d.String()); err != nil || again != d {
			t.Errorf("%q: %v, again %v, %v", text, d, again, err)
		}
	})
}
