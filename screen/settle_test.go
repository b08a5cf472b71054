package screen

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

const long = time.Hour

// Each step writes its input, or settles after a long quiet if the input is empty. Then it compares
// the output.
func TestSettle(t *testing.T) {
	type step struct{ in, want string }
	for name, steps := range map[string][]step{
		"nothing":      {{"", ""}},
		"partial line": {{"foo", ""}, {"", ""}, {" bar\r\n", ""}, {"", "foo bar\n"}},
		"once":         {{"a\r\nb\r\nc", ""}, {"", "a\nb\n"}, {"", ""}, {"d\r\n", ""}, {"", "cd\n"}},
		"then scrolls": {{"1\r\n2\r\n", ""}, {"", "1\n2\n"}, {"3\r\n4\r\n5", ""}, {"\r\n6", "3\n"}},
		"wrapped line": {{"0123456789abc", ""}, {"", ""}, {"\r\n", ""}, {"", "0123456789abc\n"}},
		"giant line": {
			{strings.Repeat("x", 35), "xxxxxxxxxx"},
			{"", ""},
			{"\r\ny", "xxxxxxxxxx"},
			{"", strings.Repeat("x", 15) + "\n"},
			{"\r\nz\r\n!\r\n?", "y\n"},
			{"", "z\n!\n"},
		},
		"same again":   {{"a\r\nb\r\n", ""}, {"", "a\nb\n"}, {"\x1b[2A\x1b[2Ka\r\n\x1b[2Kb\r\n", ""}, {"", ""}},
		"changed":      {{"a\r\nb\r\n", ""}, {"", "a\nb\n"}, {"\x1b[2Axy\r\n\n", ""}, {"", ""}, {"c\r\nd\r\n", "xy\n"}, {"", "c\nd\n"}},
		"wiped":        {{"a\r\nb\r\n", ""}, {"", "a\nb\n"}, {"\x1b[2A\x1b[2K\x1b[2B1\r\n2\r\n3\r\n4", "1\n"}},
		"new page":     {{"a\r\nb\r\n", ""}, {"", "a\nb\n"}, {"\x1b[H\x1b[2Ja\r\n\r\nc\r\n", "a\n"}, {"", "c\n"}},
		"cell by cell": {{"a\r\nb\r\n\x1b[A\x1b[B", ""}, {"", "a\nb\n"}, {"c\r\nd\r\n", ""}, {"", "c\nd\n"}},
		"after marks":  {{strings.Repeat("e\u0301", 10) + "\u0302\r\n\x1b[A", ""}, {"", ""}, {"\n", ""}, {"", strings.Repeat("e\u0301", 10) + "\u0302\n"}},
		"alternate":    {{"a\r\nb\x1b[?1049h\x1b[Hvi\r\n", ""}, {"", "a\n"}, {"\x1b[?1049l!\r\n", ""}, {"", "b!\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			p := NewPlain(&out, 10, 3)
			for _, s := range steps {
				if s.in == "" {
					_, held := p.SettleAfter()
					p.Settle(long)
					if held != (out.Len() > 0) {
						t.Errorf("held is %v, but %q was written", held, out.String())
					}
				} else {
					p.Write([]byte(s.in))
				}
				if got := out.String(); got != s.want {
					t.Errorf("%q: got %q, want %q", s.in, got, s.want)
				}
				out.Reset()
			}
		})
	}
}

func TestSettleAndClose(t *testing.T) {
	for _, test := range []struct{ before, after, want string }{
		{"a\r\nb\r\n", "", "a\nb\n"},
		{"a\r\nb", "c", "a\nbc"},
		{"a\r\nb\r\n", "\x1b[2Ax", "a\nb\nx\n"},
		{"a\r\nb\r\nc", "\x1b[A\rx\x1b[B", "a\nb\nx\nc"},
		{"a\r\nb\r\n", "\x1b[H\x1b[2Ja\r\n", "a\nb\na\n"},
		{"0123456789ab\r\n", "\x1b[Ax", "0123456789ab\n0123456789xb\n"},
		{"0123456789ab\r\n", "\x1b[A\x1b[AX", "0123456789ab\nX123456789ab\n"},
	} {
		var out bytes.Buffer
		p := NewPlain(&out, 10, 3)
		p.Write([]byte(test.before))
		p.Settle(long)
		p.Write([]byte(test.after))
		p.Close()
		if got := out.String(); got != test.want {
			t.Errorf("%q, quiet, %q: got %q, want %q", test.before, test.after, got, test.want)
		}
	}
}

// Lines that were written and then broken anew are not written again.
func TestSettleAndResize(t *testing.T) {
	var out bytes.Buffer
	p := NewPlain(&out, 10, 4)
	p.Write([]byte("0123456789ab\r\nsame\r\n\x1b[A\x1b[B"))
	p.Settle(long)
	p.Resize(7, 4)
	p.Settle(long)
	p.Resize(4, 3)
	p.Write([]byte("\x1b[Ax"))
	p.Close()
	if got, want := out.String(), "0123456789ab\nsame\nxame\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSettleWaits(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"a\r\n":                            100 * time.Millisecond,
		"a\r50%\r\x1b[K\x1b[31m100%\b\r\n": 100 * time.Millisecond,
		"\x1b[?25l\x1b[?25ha\r\n":          time.Second,
		"a\r\nb\x1b[A\x1b[B\r\n":           time.Second,
		"\x1b[Ha\r\n":                      time.Second,
		"\x1b[1;5ra\r\n":                   time.Second,
	} {
		var out bytes.Buffer
		p := NewPlain(&out, 80, 24)
		p.Write([]byte(in))
		if got, held := p.SettleAfter(); got != want || !held {
			t.Errorf("%q: got %v, %v, want %v", in, got, held, want)
		}
		p.Settle(want - 1)
		if out.Len() > 0 {
			t.Errorf("%q: wrote %q too early", in, out.String())
		}
		p.Settle(want)
		if out.Len() == 0 {
			t.Errorf("%q: wrote nothing after %v", in, want)
		}
	}
}

// Settling at any time does not change the text of a program that only writes.
func TestSettleKeepsText(t *testing.T) {
	in := strings.Repeat("one\r\ntwo three four five\r\n\r\n日本語\tx\r\n", 5)
	for n := 1; n < len(in); n++ {
		for _, cells := range []bool{false, true} {
			var out bytes.Buffer
			p := NewPlain(&out, 10, 4)
			for b := []byte(in); len(b) > 0; b = b[min(n, len(b)):] {
				if cells {
					p.toScreen()
				}
				p.Write(b[:min(n, len(b))])
				p.Settle(long)
			}
			p.Close()
			if got, want := out.String(), strings.ReplaceAll(in, "\r\n", "\n"); got != want {
				t.Fatalf("in steps of %d, cells %v: got %q, want %q", n, cells, got, want)
			}
		}
	}
}

func TestPlainReportsErrors(t *testing.T) {
	r, w := io.Pipe()
	broken := errors.New("broken")
	r.CloseWithError(broken)
	p := NewPlain(w, 80, 24)
	if n, err := p.Write([]byte("a\r\n")); n != 3 || err != nil {
		t.Errorf("a write that is held: %d, %v", n, err)
	}
	text := bytes.Repeat([]byte("b\r\n"), 100)
	if n, err := p.Write(text); n != len(text) || !errors.Is(err, broken) {
		t.Errorf("a write that scrolls: %d, %v", n, err)
	}
	if err := p.Settle(long); !errors.Is(err, broken) {
		t.Errorf("settle: %v", err)
	}
	if err := p.Close(); !errors.Is(err, broken) {
		t.Errorf("close: %v", err)
	}
}

// A line stays one line, even if it changes and grows after a part of it was written.
func TestSettleTornLine(t *testing.T) {
	var out strings.Builder
	p := NewPlain(&out, 10, 3)
	for _, in := range []string{"0123456789abc\r\n", "\x1b[AABCDEF\r\nx\r\n", "y\r\nz\r\n"} {
		_, _ = p.Write([]byte(in))
		if err := p.Settle(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "0123456789abc\n0123456789ABCDEF\nx\ny\nz\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// A Plain loses no text on a lower screen, wherever its cursor is.
func TestPlainLower(t *testing.T) {
	for _, in := range []string{"a\r\nb\r\nc\x1b[H", "a\r\nb\r\nc\x1b[?47h"} {
		var out strings.Builder
		p := NewPlain(&out, 10, 3)
		_, _ = p.Write([]byte(in))
		p.Resize(10, 1)
		_, _ = p.Write([]byte("\x1b[?47l"))
		if err := p.Close(); err != nil || out.String() != "a\nb\nc" {
			t.Errorf("%q: %q, %v", in, out.String(), err)
		}
	}
}

// Nor does it on a narrower one, or the main screen of a Terminal whose cursor is elsewhere.
func TestPlainNarrower(t *testing.T) {
	const in = "0123456789\r\nabcdefghij\r\nABCDEFGHIJ\x1b[H"
	var out strings.Builder
	p := NewPlain(&out, 10, 3)
	_, _ = p.Write([]byte(in))
	p.Resize(5, 3)
	if err := p.Close(); err != nil || out.String() != "0123456789\nabcdefghij\nABCDEFGHIJ" {
		t.Errorf("%q, %v", out.String(), err)
	}
	term := New(10, 3, 10)
	_, _ = term.Write([]byte(in + "\x1b[?47h"))
	term.Resize(5, 3)
	_, _ = term.Write([]byte("\x1b[?47l"))
	if got := rowsOf(term.Snapshot(Visible())); got != "fghij\nABCDE\nFGHIJ" {
		t.Errorf("%q", got)
	}
}

// GoOn writes what a person sees after it, and nothing of the lines before.
func TestGoOn(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"text":            {"a\r\nName? ", "b\r\nc", "b\nc"},
		"line end apart":  {"a\r", "\nb", "\nb"},
		"editor":          {"a\r\n\x1b[?1049h\x1b[Hmessage\r\n~\r\n", "\x1b[3;1H:wq\x1b[?1049l\r[main] message\r\n", "[main] message\n"},
		"still in editor": {"a\r\n\x1b[?1049h\x1b[Hone\r\n~", "\x1b[Htwo\r\n", "two\n~"},
		"pager":           {"a\r\n\x1b[?1049h\x1b[H1\r\n2\r\n:", "\r\x1b[K3\r\n\x1b[?1049l", ""},
		"drawn question":  {"a\r\nName?\x1b[G\x1b[KName? ", "\x1b[G\x1b[KName? b\r\nAge? ", "Name? b\nAge? "},
		"scrolled away":   {"a\r\nb\x1b[A\x1b[B\r\nc\r\n", "d\r\ne\r\nf\r\n", "d\ne\nf\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			p := NewPlain(io.Discard, 20, 4)
			p.Write([]byte(c.before))
			p.GoOn(&out, false)
			p.Write([]byte(c.after))
			p.Close()
			if got := out.String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// In a REPL, a reader knows the typed line, whatever its line editor draws of it. The prompt at the end is dropped.
func TestGoOnWhole(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"echo":          {">>> 1+1", "\r\n2\r\n>>> ", "2\n"},
		"no output":     {">>> x=1", "\r\n>>> ", ""},
		"scrolls":       {"a\r\nb\r\nc\r\n>>> 1", "\r\n1\r\n2\r\n3\r\n4\r\n5\r\n>>> ", "1\n2\n3\n4\n5\n"},
		"drawn again":   {"\x1b[GIn: 1", "\x1b[GIn: 1\x1b[K\x1b[G\x1b[1B\x1b[K=> 1\r\nIn: ", "=> 1\n"},
		"cleared":       {"In: 1 \b", "\x1b[5D\x1b[JIn: 1\x1b[5D\r\r\n\x1b[J1\r\n\r\nIn: \r\n\r\n\x1b[2A\x1b[4C", "1\n\n"},
		"answer below":  {"> ask\r\n", "Bob\r\ngot Bob\r\n> ", "Bob\ngot Bob\n"},
		"preview below": {"> 1+1\r\n2\x1b[A\x1b[6G", "\x1b[B\x1b[2K\x1b[A\r\n2\r\n> ", "2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			p := NewPlain(io.Discard, 20, 4)
			p.Write([]byte(c.before))
			p.GoOn(&out, true)
			p.Write([]byte(c.after))
			if err := p.Settle(time.Minute); err != nil {
				t.Error(err)
			}
			p.DropLine()
			p.Close()
			if got := out.String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
