package screen

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// asked are queries that a terminal answers. passing are sequences that only look like queries.
var (
	asked = []string{
		"\x05", "\x1bZ", "\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b[=c", "\x1b[5n", "\x1b[6n", "\x1b[?6n", "\x1b[?996n", "\x1b[?2026$p", "\x1b[4$p", "\x1b[>0q", "\x1b[>q",
		"\x1b[?u", "\x1b[14t", "\x1b[18t", "\x1b[21t", "\x1b[x", "\x1b[?4m", "\x1b[1;1;1;1;2;2*y", "\x1b]10;?\x07", "\x1b]11;?\x1b\\", "\x1b]4;1;?\x1b\\", "\x1b]52;c;?\x07",
		"\x1bP$qm\x1b\\", "\x1bP+q544e\x1b\\",
	}
	passing = []string{
		"text", "世界", "\r\n", "\x1b[1;3c", "\x1b[?6c", "\x1b[>4n", "\x1b[31m", "\x1b[>4;2m", "\x1b[2 q", "\x1b[=3u", "\x1b[>1u", "\x1b[<u", "\x1b[u", "\x1b[22;0t", "\x1b[8;24;80t",
		"\x1b]2;a ? title;?\x07", "\x1b]8;;http://e/?\x1b\\", "\x1b]10;#ffffff\x07", "\x1b]52;c;YQ==\x07", "\x1b]4;1;#fff\x1b\\", "\x1bPq#0;2;0~-\x1b\\", "\x1bP1$r0m\x1b\\",
		"\x1b_Gf=100;AAAA\x1b\\", "\x1b7", "\x1b(0", "\x1b[?2026h", "\x1b]1337;File=:" + strings.Repeat("A", 5000) + "\x07", "\x1b[3S", "\x1b#8", "\x18", "\x1b]133;A\x07", "\x1b^x\x1b\\",
	}
)

func TestQueryFilter(t *testing.T) {
	check := func(in, want string, pieces int) {
		t.Helper()
		var f QueryFilter
		var out []byte
		for rest := []byte(in); len(rest) > 0; {
			n := min(pieces, len(rest))
			out = append(out, f.Filter(nil, rest[:n])...)
			rest = rest[n:]
		}
		if string(out) != want {
			t.Errorf("%.80q in pieces of %d:\n got %.200q\nwant %.200q", in, pieces, out, want)
		}
	}
	for _, n := range []int{1, 2, 1 << 20} {
		for _, q := range asked {
			check("a"+q+"b", "ab", n)
		}
		for _, s := range passing {
			check("a"+s+"b", "a"+s+"b", n)
		}
		check("\x1b[6\bn.", "\b.", n)
		check("\x1b[3\x1b[6n\x1b[1m", "\x1b[1m", n)
		check("\x1b]11;?\x1b[1mx", "\x1b[1mx", n)
		check("\x1b]2;t\x1b[6nx", "\x1b]2;t\x1b\\x", n)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var in, want strings.Builder
		for range r.IntN(30) {
			if i := r.IntN(len(asked) + len(passing)); i < len(asked) {
				in.WriteString(asked[i])
			} else {
				in.WriteString(passing[i-len(asked)])
				want.WriteString(passing[i-len(asked)])
			}
		}
		check(in.String(), want.String(), 1+r.IntN(50))
	}
}

// FuzzQueryFilter writes the filtered output to a terminal. The terminal answers nothing.
func FuzzQueryFilter(f *testing.F) {
	for _, s := range append(asked, passing...) {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, n int) {
		var filter QueryFilter
		var out []byte
		n = max(n, 1)
		for rest := in; len(rest) > 0; rest = rest[min(n, len(rest)):] {
			out = append(out, filter.Filter(nil, rest[:min(n, len(rest))])...)
		}
		var whole QueryFilter
		if all := whole.Filter(nil, in); string(all) != string(out) {
			t.Fatalf("in pieces of %d %q, at once %q", n, out, all)
		}
		term := New(20, 5, 0)
		term.OnReply(func(answer []byte) { t.Errorf("%q passes as %q, which is answered with %q", in, out, answer) })
		term.Write(out)
	})
}

func BenchmarkQueryFilter(b *testing.B) {
	for name, line := range map[string]string{
		"text":   "a line of text, and nothing else in it\r\n",
		"colour": "\x1b[32mok\x1b[m  \x1b[1;34mpackage/name\x1b[m\t0.012s\x1b[K\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			in := []byte(strings.Repeat(line, 1000))
			b.SetBytes(int64(len(in)))
			var f QueryFilter
			var out []byte
			for b.Loop() {
				out = f.Filter(out[:0], in)
			}
		})
	}
}
