package commands

import (
	"io"
	"testing"
)

// However the output is cut, the screen that it ends on is known.
func TestAlternateScreen(t *testing.T) {
	for text, want := range map[string]bool{
		"plain":                     false,
		"\x1b[?1049h":               true,
		"a\x1b[?1049hb\x1b[?1049lc": false,
		"\x1b[?47h":                 true,
		"\x1b[?1047hx\x1b[?1047l":   false,
		"\x1b[?1049l\x1b[?1049hvim": true,
		"\x1b[?1049hvim\x1b[?1049lshell\x1b[?1048h": false,
	} {
		for cut := range len(text) {
			a := &alternateScreen{w: io.Discard}
			for _, piece := range []string{text[:cut], text[cut:]} {
				if _, err := a.Write([]byte(piece)); err != nil {
					t.Fatal(err)
				}
			}
			if a.on != want {
				t.Errorf("%q cut at %d: %v", text, cut, a.on)
			}
		}
	}
}
