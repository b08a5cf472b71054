package screen

import (
	"slices"
	"testing"
)

var queryTests = []struct {
	in   string
	want []Query
}{
	{"", nil},
	{"no escapes at all\r\n", nil},
	{"\x1b[5n", []Query{{Kind: StatusReport, End: 4}}},
	{"ab\x1b[6ncd", []Query{{Kind: CursorPosition, End: 6}}},
	{"\x1b[?6n", []Query{{Kind: CursorPosition, End: 5, extended: true}}},
	{"\x1b[c", []Query{{Kind: PrimaryAttributes, End: 3}}},
	{"\x1b[0c", []Query{{Kind: PrimaryAttributes, End: 4}}},
	{"\x1bZ", []Query{{Kind: PrimaryAttributes, End: 2}}},
	{"\x1b[999;999H\x1b[6n\x1b[c", []Query{{Kind: CursorPosition, End: 14}, {Kind: PrimaryAttributes, End: 17}}},
	{"\x1b[6\nn", []Query{{Kind: CursorPosition, End: 5}}},
	{"é\xe2\x1b[6n", []Query{{Kind: CursorPosition, End: 7}}},
	{"\x1b\x1b[6n", []Query{{Kind: CursorPosition, End: 5}}},
	{"\x1b]0;a\x1b[6n", []Query{{Kind: CursorPosition, End: 9}}}, // ESC ends the string
	{"\x1b]0;[6n\a", nil},
	{"\x1bP[6n\x1b\\", nil},
	{"\x1b_[c\x1b\\", nil},
	{"\x1b[6\x18n", nil},
	{"\x1b[>c", nil},
	{"\x1b[=c", nil},
	{"\x1b[?5n", nil},
	{"\x1b[6;1n", nil},
	{"\x1b[1c", nil},
	{"\x1b[6 n", nil},
	{"\x1b[6", nil},
}

func TestQueries(t *testing.T) {
	for _, test := range queryTests {
		for n := 1; n <= len(test.in); n++ {
			if got := queriesOf(test.in, n); !slices.Equal(got, test.want) {
				t.Errorf("%q in steps of %d: got %v, want %v", test.in, n, got, test.want)
			}
		}
	}
}

func TestReply(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"\x1b[5n", "\x1b[0n"},
		{"\x1b[6n", "\x1b[3;8R"},
		{"\x1b[?6n", "\x1b[?3;8R"},
		{"\x1b[c", "\x1b[?62;22c"},
		{"\x1bZ", "\x1b[?62;22c"},
	} {
		if got := queriesOf(test.in, len(test.in))[0].Reply(7, 2); string(got) != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	var s QueryScanner
	text := []byte("text \x1b[31mred\x1b[0m and a prompt\r\n$ ")
	if n := testing.AllocsPerRun(100, func() {
		if s.Scan(text) != nil {
			t.Error("a query was found in", text)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a chunk without a query", n)
	}
}

func BenchmarkScan(b *testing.B) {
	all := streams()
	for _, name := range []string{"seq", "colour"} {
		b.Run(name, func(b *testing.B) {
			chunk := []byte(all[name])[:64<<10]
			var s QueryScanner
			b.SetBytes(int64(len(chunk)))
			b.ReportAllocs()
			for b.Loop() {
				s.Scan(chunk)
			}
		})
	}
}
