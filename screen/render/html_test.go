package render

import (
	"strconv"
	"strings"
	"testing"

	"devtools/screen"
)

func itoa(i int) string { return strconv.Itoa(i) }

// pageOf returns the HTML of a snapshot: its rules, and the content of pre.
func pageOf(t *testing.T, s *screen.Snapshot) (rules, body string) {
	t.Helper()
	var b strings.Builder
	if err := HTML(&b, s); err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(b.String(), "<pre>\n")
	return head, strings.TrimSuffix(body, "</pre>\n</body>\n</html>\n")
}

func TestHTML(t *testing.T) {
	const hidden = "\x1b[?25l" // the cursor
	for _, test := range []struct{ name, text, want string }{
		{"plain", "a  b", "a  b\n"},
		{"escaped", `<script>"&'`, "&lt;script&gt;&#34;&amp;&#39;\n"},
		{"style", "\x1b[1;31mred\x1b[m.", `<span class="s0">red</span>.` + "\n"},
		{"wide", "日b", `<i class="w">日</i>b` + "\n"},
		{"symbols", "→é─", "<i>→</i>é─\n"},
		{"marks", "e\u0301", "<i>e\u0301</i>\n"},
		{"link", "\x1b]8;;https://h/?a=1&b=\"<\x1b\\x\x1b]8;;\x1b\\y", `<a href="https://h/?a=1&amp;b=&#34;&lt;" rel="noopener noreferrer">x</a>y` + "\n"},
		{"link of a file", "\x1b]8;;FILE:///x\x1b\\x\x1b]8;;\x1b\\", `<a href="FILE:///x" rel="noopener noreferrer">x</a>` + "\n"},
		{"script", "\x1b]8;;javascript:alert(1)\x1b\\x\x1b]8;;\x1b\\", "x\n"},
		{"hidden script", "\x1b]8;; javascript:alert(1)//http:\x1b\\x\x1b]8;;\x1b\\", "x\n"},
		{"data", "\x1b]8;;data:text/html,x\x1b\\x\x1b]8;;\x1b\\", "x\n"},
		{"no scheme", "\x1b]8;;http\x1b\\x\x1b]8;;\x1b\\", "x\n"},
	} {
		if _, got := pageOf(t, shot(20, 1, hidden+test.text)); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}

func TestHTMLRules(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[1;31mx":                    "color: #f14c4c; font-weight: bold",
		"\x1b[3;44mx":                    "background: #347fd0; font-style: italic",
		"\x1b[7mx":                       "color: #000000; background: #e5e5e5",
		"\x1b[4:3;58:2::1:2:3mx":         "text-decoration: underline wavy #010203",
		"\x1b[4;9;53mx":                  "text-decoration: underline line-through overline solid #e5e5e5",
		"\x1b]4;1;#123456\x07\x1b[31mx":  "color: #123456",
		"\x1b[?25h\x1b[2 q":              "color: #000000; background: #e5e5e5",
		"\x1b[?25h\x1b]12;#ff0000\x07x":  "color: #000000; background: #ff0000",
		"\x1b[?25h\x1b[4 q":              "box-shadow: inset 0 -2px #e5e5e5",
		"\x1b[?25h\x1b[6 q\x1b[10G":      "box-shadow: inset 2px 0 #e5e5e5",
		"\x1b]8;;http://h\x1b\\\x1b[9mx": "text-decoration: underline line-through",
	} {
		head, body := pageOf(t, shot(20, 2, "\x1b[?25l"+text))
		if !strings.Contains(head, "\n.s0 { "+want+" }\n") || !strings.Contains(body, ` class="s0"`) {
			t.Errorf("%q: no rule %q in\n%s\n%s", text, want, head, body)
		}
	}
}

func TestTitle(t *testing.T) {
	for title, want := range map[string]string{
		"":                 "Terminal",
		"a </title><b>":    "a &lt;/title&gt;&lt;b&gt;",
		"\u202ereversed":   "reversed",
		"\ufffe and more ": "\ufffd and more",
	} {
		s := shot(20, 1, "\x1b]2;"+title+"\x1b\\")
		head, _ := pageOf(t, s)
		if !strings.Contains(head, "<title>"+want+"</title>") {
			t.Errorf("%q: no title %q in\n%s", title, want, head)
		}
		if text, _ := drawingOf(t, s); !strings.Contains(text, "<title>"+want+"</title>") {
			t.Errorf("%q: no title %q in\n%s", title, want, text)
		}
	}
}

// The page has no cursor if the program hid it, or if its row is not in the snapshot.
func TestNoCursor(t *testing.T) {
	term := screen.New(10, 2, 100)
	term.Write([]byte("a\r\nb\r\nc"))
	if _, body := pageOf(t, term.Snapshot(screen.View{First: -1, Last: 0})); body != "a\nb\n" {
		t.Errorf("rows without the cursor: %q", body)
	}
	term.Write([]byte("\x1b[?25l"))
	if _, body := pageOf(t, term.Snapshot(screen.Visible())); body != "b\nc\n" {
		t.Errorf("hidden cursor: %q", body)
	}
}
