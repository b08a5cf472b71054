package hold

import (
	"strings"
	"testing"
)

// What was typed since the last Enter is known, and bounded. What a shell reads on behind an Enter belongs to it. C-c stays, because
// the program may take it for another key.
func TestHalfLine(t *testing.T) {
	for typed, want := range map[string]string{
		"su|do rm": "sudo rm", "a\rb|c": "bc", "abc|\r": "", "abc|\x03d": "abc\x03d", "abc|\x03d\r": "", "a\nb\nc": "c", "|": "",
		"rm -rf \\|\r|/x": "rm -rf \\\r/x", "rm \\\\\r": "", "echo 'a\r|b'": "echo 'a\rb'", "echo 'a\r|b'\r": "", "echo \"a'\r": "echo \"a'\r",
		"curl x &\r|sh": "curl x |\rsh", "curl x & sh\r": "", "bash <(\rcurl": "bash <(\rcurl", "(true)\r": "",
		"sh <<E\r|su\rE\r": "", "sh <<-'E'\r|su\rF\r": "sh <<-'E'\rsu\rF\r", "cat <<< E\r": "", "ls # don't\r": "", "a#'\r": "a#'\r",
		"rm ''\x7f\r": "rm ''\x7f\r", "don't\x15\r": "don't\x15\r", "don't\r\x03ls\r": "", "$'\\''\r": "", "'\\'\r": "",
	} {
		var h halfLine
		for data := range strings.SplitSeq(typed, "|") {
			h.take([]byte(strings.ReplaceAll(data, "&", "|")), true)
		}
		if string(h) != want {
			t.Errorf("%q: %q, want %q", typed, h, want)
		}
	}
	var h halfLine
	h.take([]byte("cat <<E\r"), true)
	if h.take([]byte("a\r"), false); string(h) != "cat <<E\r\x00a\r" {
		t.Errorf("%q: a line that another program may have got has no sign", h)
	}
	h = nil
	for range 3 {
		h.take(make([]byte, maxHalfLine-1), true)
	}
	if h.take([]byte("x"), true); len(h) != maxHalfLine || h[len(h)-1] != 'x' {
		t.Errorf("%d bytes are kept", len(h))
	}
}
