package watch

import (
	"testing"
	"time"

	"devtools/stack/files"
)

// TestRhythm has files change so many milliseconds after one start after the other.
func TestRhythm(t *testing.T) {
	for _, test := range []struct {
		name  string
		after []int // 0: not after this one
		want  bool  // it is steady at the last
	}{
		{"always the same", []int{3000, 3010, 3000, 3120, 3000}, true},
		{"not often enough", []int{3000, 3000, 3000, 3000}, false},
		{"a tenth", []int{30_000, 31_000, 32_500, 30_000, 32_900}, true},
		{"more", []int{3000, 3000, 3000, 3000, 4000}, false},
		{"once more than that", []int{3000, 3000, 3000, 3000, 4000, 3000, 3000, 3000, 3000, 3000}, true},
		{"not each time", []int{3000, 3000, 3000, 3000, 0, 3000}, false},
		{"slower and slower", []int{3000, 3100, 3200, 3300, 3400, 3500, 3600}, false},
	} {
		g := newGuard(nil)
		got := false
		for _, ms := range test.after {
			g.rhythm.next()
			if ms > 0 {
				got = g.rhythm.steady([]files.Change{{Path: "a"}}, time.Duration(ms)*time.Millisecond)
			}
		}
		if got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		if g.rhythm.steady([]files.Change{{Path: "a"}, {Path: "b"}}, 3*time.Second) {
			t.Errorf("%s: and so is a file that changes for the first time", test.name)
		}
	}
}
