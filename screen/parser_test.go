package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A recorder is a handler that records its calls.
type recorder struct{ calls []string }

func (r *recorder) note(format string, args ...any) {
	r.calls = append(r.calls, fmt.Sprintf(format, args...))
}

// text joins runs of text, whose borders depend on how input was split.
func (r *recorder) text(s string) {
	if n := len(r.calls); n > 0 && strings.HasPrefix(r.calls[n-1], "text ") {
		r.calls[n-1] += s
		return
	}
	r.note("text %s", s)
}

func (r *recorder) print(c rune)           { r.text(string(c)) }
func (r *recorder) printASCII(text []byte) { r.text(string(text)) }
func (r *recorder) execute(c byte)         { r.note("%#02x", c) }
func (r *recorder) esc(inter []byte, final byte) {
	r.note("esc %s%c", inter, final)
}

func (r *recorder) csi(s *sequence) {
	r.note("csi %s", sequenceText(s))
}

func (r *recorder) osc(data []byte, bell bool) { r.note("osc %s %v", data, bell) }
func (r *recorder) dcs(s *sequence, data []byte) {
	r.note("dcs %s %s", sequenceText(s), data)
}

func sequenceText(s *sequence) string {
	var b strings.Builder
	if s.private != 0 {
		b.WriteByte(s.private)
	}
	for i := range s.n {
		switch {
		case s.sub(i):
			b.WriteByte(':')
		case i > 0:
			b.WriteByte(';')
		}
		if v := s.param(i, -1); v >= 0 {
			fmt.Fprint(&b, v)
		}
	}
	return b.String() + string(s.intermediates()) + string(s.final)
}

// parse returns the calls of the handler for in, which it passes in steps of n bytes.
func parse(in string, n int) []string {
	var p parser
	var r recorder
	for i := 0; i < len(in); i += n {
		for b := []byte(in[i:min(i+n, len(in))]); len(b) > 0; {
			b = b[p.next(b, &r):]
		}
	}
	p.flush(&r)
	return r.calls
}

func TestParser(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"plain text", []string{"text plain text"}},
		{"a\r\nb\x7f", []string{"text a", "0x0d", "0x0a", "text b"}},
		{"\x00\x1f", []string{"0x00", "0x1f"}},
		{"日本é\U0001F600", []string{"text 日本é\U0001F600"}},
		{"a\u0080\u009fb", []string{"text ab"}},
		{"a\xe4\xbd!", []string{"text a\uFFFD!"}},
		{"\xe4\xbd\xe4\xbd\xa0", []string{"text \uFFFD你"}},
		{"\xf0\x9f\x98\x1b[m", []string{"text \uFFFD", "csi m"}},
		{"\xf5\x80\xc2", []string{"text \uFFFD\uFFFD\uFFFD"}},

		{"\x1bM\x1b7\x1b\\", []string{"esc M", "esc 7", "esc \\"}},
		{"\x1b(0\x1b%G\x1b#8", []string{"esc (0", "esc %G", "esc #8"}},
		{"\x1b !\"#Ax", []string{"text x"}},
		{"\x1b\x1b[A", []string{"csi A"}},
		{"\x1b\x18A", []string{"0x18", "text A"}},
		{"\x1béx", []string{"text éx"}},

		{"\x1b[A", []string{"csi A"}},
		{"\x1b[1;31m", []string{"csi 1;31m"}},
		{"\x1b[;5H\x1b[5;H", []string{"csi ;5H", "csi 5;H"}},
		{"\x1b[38:2::1:2:3;4:3m", []string{"csi 38:2::1:2:3;4:3m"}},
		{"\x1b[?1049h\x1b[>c\x1b[=1u\x1b[<u", []string{"csi ?1049h", "csi >c", "csi =1u", "csi <u"}},
		{"\x1b[2 q\x1b[!p\x1b[?2026$p", []string{"csi 2 q", "csi !p", "csi ?2026$p"}},
		{"\x1b[1\n2A", []string{"0x0a", "csi 12A"}},
		{"\x1b[1\x1aA", []string{"0x1a", "text A"}},
		{"\x1b[1\x1b[2A", []string{"csi 2A"}},
		{"\x1b[1?hx", []string{"text x"}},
		{"\x1b[1 2Ax", []string{"text x"}},
		{"\x1b[ !\"Ax", []string{"text x"}},
		{"\x1b[3日", []string{"text 日"}},
		{"\x1b[99999999999999999999999A", []string{"csi 65535A"}},
		{"\x1b[" + strings.Repeat("1;", 40) + "7m", []string{"csi " + strings.Repeat("1;", 31) + "1m"}},

		{"\x1b]0;title\ax", []string{"osc 0;title true", "text x"}},
		{"\x1b]0;tïtle\x1b\\x", []string{"osc 0;tïtle false", "esc \\", "text x"}},
		{"\x1b]0;a\nb\x07", []string{"osc 0;ab true"}},
		{"\x1b]0;a\x18b", []string{"0x18", "text b"}},
		{"\x1b]0;a\x1b[A", []string{"osc 0;a false", "csi A"}},
		{"\x1bP1;2+q544e\x1b\\", []string{"dcs 1;2+q 544e", "esc \\"}},
		{"\x1bP$qm\x1b\\", []string{"dcs $q m", "esc \\"}},
		{"\x1bP?1qa\ab\nc\x1b\\", []string{"dcs ?1q a\ab\nc", "esc \\"}},
		{"\x1bP1?qabc\x1b\\x", []string{"esc \\", "text x"}},
		{"\x1bPqabc\x1ax", []string{"0x1a", "text x"}},
		{"\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\x", []string{"esc \\", "esc \\", "esc \\", "text x"}},
	} {
		for n := 1; n <= len(test.in); n++ {
			if got := parse(test.in, n); !slices.Equal(got, test.want) {
				t.Errorf("%q in steps of %d:\n got %q\nwant %q", test.in, n, got, test.want)
				break
			}
		}
	}
}

func TestParserBoundsStrings(t *testing.T) {
	in := "\x1b]" + strings.Repeat("x", 3*maxString) + "\a"
	got := parse(in, 1000)
	if len(got) != 1 || len(got[0]) != len("osc  true")+maxString {
		t.Errorf("%d calls for a long string, the first with %d bytes", len(got), len(got[0]))
	}
}
