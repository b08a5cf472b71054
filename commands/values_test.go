package commands

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	day := 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0": 0, "30": 30 * time.Second, "1.5": 1500 * time.Millisecond, "500ms": 500 * time.Millisecond, "1h30m": 90 * time.Minute,
		"2.34e+5d": forever, "1e3d": 1000 * day, "1e300": forever, "1e400": forever, "inf": forever, "Infinity": forever, "infd": forever,
		"99999999999": forever, "18446744073709551616": forever, "99999999999w": forever, "106751d24h": forever, "9e18": forever,
		"1e2": 100 * time.Second, "1e-1m": 6 * time.Second, "0x10": 16 * time.Second, "0x1p4s": 16 * time.Second, ".5": 500 * time.Millisecond, "+5": 5 * time.Second, " 5": 5 * time.Second, "1e-10": 1, "1e-400": 1, "1e-400d": 1, "0x1p-2000": 1, "0e400": 0, "0x0": 0,
		"2000000h30m": forever, "7d": 7 * day, "1.5d": 36 * time.Hour, "2w": 14 * day, "1w2d12h": 9*day + 12*time.Hour, "0d": 0, "1d1.5s": day + 1500*time.Millisecond,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "d", "w", "-1", "-1d", "1d-2h", "1d+2h", "2d1w", "1d2d", "1dd", "soon", "1d x", "1 d", "NaN", "nand", "-inf", "-1e400", "-1e-400", "1x",
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
