package line

import (
	"slices"
	"strings"
	"testing"
)

// A line that ends with a plain pipeline has the names of its stages. Any other one has none.
func TestStages(t *testing.T) {
	for text, want := range map[string]string{
		"a | b":                                "a b only",
		"a x |& b\n":                           "a b only",
		"a|b 2>&1 | c > f # d | e":             "a b c only",
		"A=1 ./a 'x|y' | \"$B\" c":             "./a \"$B\" only",
		"cd x && a | b;":                       "a b only",
		"! x && a | b":                         "a b only",
		"x || a | b":                           "a b only",
		"x; y\na | b \\\n | c":                 "a b c only",
		"cat <<<x | b":                         "cat b only",
		"[[ x || y ]]; a | b":                  "a b only",
		"(a; b) | { c; }":                      "(a; b) { c; } only",
		"{ a | b; } | c":                       "{ a | b; } c only",
		"for x in y; do a; done | b":           "for x in y; do a; done b only",
		"grep a | grep b | c":                  "grep a grep c only",
		"a | b $(c | d)":                       "a b only",
		"x | y; a | b":                         "a b",
		"x=$(y | z); a | b":                    "a b",
		"x | y && a | b":                       "a b",
		"f() { a | b; }; c | f":                "c f",
		"":                                     "",
		"a || b":                               "",
		"echo 'a|b'":                           "",
		"a |":                                  "",
		"a | b | (":                            "",
		"a | b; c":                             "",
		"a | b && c":                           "",
		"a | b || c":                           "",
		"a | b || c | d":                       "",
		"x | y || z; a | b":                    "",
		"(a | b)":                              "",
		"{ a | b; }":                           "",
		"if a; then b | c; fi":                 "",
		"f() { a | b; }":                       "",
		"! a | b":                              "",
		"a | ! b":                              "",
		"x && ! a | b":                         "",
		"time a | b":                           "",
		"a | time b":                           "",
		"a | b &":                              "",
		"x & a | b":                            "",
		"coproc a | b":                         "",
		"set -o pipefail; a | b":               "",
		"(set -e; a) | b":                      "",
		"x; trap y EXIT; a | b":                "",
		`\trap y EXIT; a | b`:                  "",
		"builtin trap y EXIT; a | b":           "",
		"a | exec b":                           "",
		"cd x || exit 1; a | b":                "",
		"f() { return 1; }; f; a | b":          "",
		"shopt -s lastpipe; a | b":             "",
		"ulimit -f 0; a | b":                   "",
		"eval 'a | b'; c | d":                  "",
		"echo $_ | a":                          "",
		"echo ${_} | a":                        "",
		"a <<E | b\nx\nE":                      "",
		"a | while read x; do b | c; done":     "",
		"a | { b | c; }":                       "",
		strings.Repeat("(", mostDepth+1) + "|": "",
		strings.Repeat("a|", 100<<10) + "b":    "",
	} {
		stages, only := Stages(text)
		var got []string
		for _, s := range stages {
			if got = append(got, s.Name); !strings.Contains(text, s.Text) || !strings.Contains(s.Text, s.Name) {
				t.Errorf("%q: the stage %q, %q is not in the line", text, s.Text, s.Name)
			}
		}
		if only {
			got = append(got, "only")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	stages, _ := Stages("A=1 a x 2>&1 | b y > f")
	if want := []Stage{{"A=1 a x 2>&1", "a"}, {"b y > f", "b"}}; !slices.Equal(stages, want) {
		t.Errorf("%q, want %q", stages, want)
	}
}

func FuzzStages(f *testing.F) {
	for _, text := range []string{"a && b | c 2>&1", "x; A=1 a |& {\nb; } | `c`", "a | \"$(b | c)\" # d", "a \\\n| b <<<c;", "a | é 'ü' | \xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		stages, _ := Stages(text)
		size := 0
		for _, s := range stages {
			if size += len(s.Text); s.Name == "" || !strings.Contains(s.Text, s.Name) || !strings.Contains(text, s.Text) {
				t.Errorf("the stage %q, %q is not in the line", s.Text, s.Name)
			}
		}
		if len(stages) == 1 || size > len(text) {
			t.Errorf("%q of a text of %d bytes", stages, len(text))
		}
	})
}
