package hold

import (
	"strings"
	"testing"
)

// What was typed since the last Enter or C-c is known, and bounded.
func TestHalfLine(t *testing.T) {
	for typed, want := range map[string]string{
		"su|do rm": "sudo rm", "a\rb|c": "bc", "abc|\r": "", "abc|\x03d": "d", "a\nb\nc": "c", "|": "",
	} {
		var h halfLine
		for data := range strings.SplitSeq(typed, "|") {
			h.take([]byte(data))
		}
		if string(h) != want {
			t.Errorf("%q: %q, want %q", typed, h, want)
		}
	}
	var h halfLine
	for range 3 {
		h.take(make([]byte, maxHalfLine-1))
	}
	if h.take([]byte("x")); len(h) != maxHalfLine || h[len(h)-1] != 'x' {
		t.Errorf("%d bytes are kept", len(h))
	}
}
