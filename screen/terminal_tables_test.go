package screen

import (
	"fmt"
	"strings"
	"testing"
)

// Cells refer to tables, which forget values that no cell uses any more. Nobody may notice.
func TestTerminalForgets(t *testing.T) {
	const kept = "\x1b[31mred\x1b[m \x1b[44m \x1b[m e\u0301 \x1b]8;id=x;http://kept/\alink\x1b]8;;\a\r\n"
	var before, links, styles, clusters strings.Builder
	for i := range 100 { // these values are forgotten, which changes the numbers of the others
		fmt.Fprintf(&before, "\r\x1b[38;5;%dmx\x1b]8;;http://%d/\ay\x1b]8;;\az%c\x1b[m", i, i, 0x300+i)
	}
	for i := range 2 * maxLinks {
		fmt.Fprintf(&links, "\r\x1b]8;;http://other/%d\ax\x1b]8;;\a", i)
	}
	for i := range maxStyles + maxStyles/8 {
		fmt.Fprintf(&styles, "\r\x1b[38;2;%d;%d;%dmx\x1b[m", i>>16&255, i>>8&255, i&255)
	}
	for i := range maxClusters + maxClusters/8 {
		fmt.Fprintf(&clusters, "\r%c%c%c", 'a'+i%26, 0x300+i/26%100, 0x300+i/2600)
	}
	check := func(name string, s *Snapshot) {
		t.Helper()
		if got := s.Text(0, false); got != "zred  e\u0301 link" && got != "red   e\u0301 link" {
			t.Errorf("%s: got %q", name, got)
		}
		link, _ := s.Link(cellOf(s, 9, 0).Style)
		if got := look(cellOf(s, 0, 0).Style) + look(cellOf(s, 4, 0).Style) + look(cellOf(s, 6, 0).Style); got != "/1/-/-/4/-/-" || link != (Link{"http://kept/", "x"}) {
			t.Errorf("%s: styles %s, link %+v", name, got, link)
		}
	}
	for name, flood := range map[string]string{"links": links.String(), "styles": styles.String(), "clusters": clusters.String()} {
		for _, frame := range []string{"", "\x1b[?2026h"} {
			term := New(20, 3, 100)
			term.Write([]byte(before.String() + "\r\x1b[K" + kept + "2\r\n3\r\n4" + frame))
			old := term.Snapshot(everything)
			term.Write([]byte(flood))
			name := fmt.Sprintf("%s %q", name, frame)
			check(name+", before", old)
			check(name, term.Snapshot(everything))
			term.Write([]byte("\x1b[?2026l\x1b[32mgreen"))
			s := term.Snapshot(Visible())
			if got := look(cellOf(s, 2, 2).Style); got != "/2/-" {
				t.Errorf("%s: a new style is %s", name, got)
			}
		}
	}
}

// OSC 52 is kept for people who look at the terminal, not for programs.
func TestTerminalClipboard(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"\x1b]52;c;aGVsbG8=\a", "hello"},
		{"\x1b]52;;aGVsbG8=\x1b\\", "hello"},
		{"\x1b]52;c;aGVsbG8=\a\x1b]52;c;?\a", "hello"},
		{"\x1b]52;c;aGVsbG8=\a\x1b]52;p;d29ybGQ=\a", "world"},
		{"\x1b]52;c;aGVsbG8=\a\x1b]52\a\x1b]52;c\a", "hello"},
	} {
		if got := terminalWith(10, 2, 0, test.in).Snapshot(Visible()).Clipboard; got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}
