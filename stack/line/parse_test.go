package line

import (
	"fmt"
	"strings"
	"testing"
)

// shown writes a part as text for a table.
func shown(p Part) string {
	var b strings.Builder
	for _, env := range p.Env {
		b.WriteString(env + " ")
	}
	for i, arg := range p.Args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(arg.Text)
		if arg.Open {
			b.WriteByte('?')
		}
	}
	if p.Dir != (Word{}) {
		fmt.Fprintf(&b, " in:%s", p.Dir.Text)
	}
	for _, flag := range []struct {
		is   bool
		name string
	}{{p.Background, "&"}, {p.Followed, "+"}, {p.Fed, "<"}, {p.Loop, "loop"}, {p.Inner, "$"}} {
		if flag.is {
			b.WriteString(" " + flag.name)
		}
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		"# vite":                                 "",
		"vite":                                   "vite",
		"A=1 B='x y' vite --port 3":              "A=1 B=x y vite --port 3",
		"A=1":                                    "",
		"a && b || c; d":                         "a + / b + / c + / d",
		"a & b":                                  "a & / b",
		"a & b & wait":                           "a / b / wait",
		"(a &) ; wait":                           "a & / wait",
		"a | b":                                  "a / b <",
		"a <x":                                   "a <",
		"a <<X\nvite\nX\n":                       "a <",
		`"vi"te 'a b' c\ d "e\"$f"`:              "vite a b c d e\"$f?",
		"x --port ${PORT:-3000}":                 "x --port 3000?",
		"$CMD run":                               "$CMD? run",
		"$(npm bin)/vite":                        "npm bin + $ / $(npm bin)/vite?",
		"if a; then b; else c; fi":               "a + / b / c",
		"for i in 1 2; do a; done":               "a +",
		"while true; do a; done":                 "a + loop",
		"until false; do a; done":                "a + loop",
		"while :; do a && break; done":           "a + / break +",
		"for ((;;)); do a; done":                 "a + loop",
		"while read x; do a; done":               "read x + / a +",
		"case x in a) b;; *) c;; esac":           "b / c",
		"f() { a; b; }; f":                       "a + / b",
		"f() { f; }; f":                          "f",
		"f() { a; }; (f() { b; }; f); f":         "b + / a",
		"cd x && a; (cd y; b); c":                "cd x + / a in:x + / cd y in:x + / b in:x/y + / c in:x",
		"cd $X && a":                             "cd $X? + / a in:$X",
		"time a":                                 "a",
		"! a":                                    "a",
		"{ a; b; } &":                            "a & + / b &",
		"[[ -f x ]] && a":                        "a",
		"export A=1; a":                          "a",
		"a $(vite)":                              "vite + $ / a $(vite)?",
		"A=$(a) b":                               "a + $ / A=$(a) b",
		"A=`a; b`":                               "a + $ / b + $",
		"a \"x $(b \"$(c)\")\"":                  "c + $ / b $(c)? + $ / a x $(b \"$(c)\")?",
		"a <(b | c) > >(d)":                      "b + $ / c + < $ / d + < $ / a <(b | c)?",
		"export A=$(a)":                          "a + $",
		"for i in $(a); do b; done":              "a + $ / b +",
		"[[ $(a) ]] && case $(b) in x) c;; esac": "a + $ / b + $ / c",
		"f() { b $(a); }; f & c":                 "a & + $ / b $(a)? & / c",
		"cat <<X\n$(a)\nX\n":                     "a + < $ / cat <",
	} {
		parts, err := Parse(text)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		var got []string
		for _, p := range parts {
			got = append(got, shown(p))
			if p.Start < 0 || p.End > len(text) || p.Start >= p.End {
				t.Errorf("Parse(%q): %s stands at %d to %d", text, shown(p), p.Start, p.End)
			}
		}
		if strings.Join(got, " / ") != want {
			t.Errorf("Parse(%q) = %q, want %q", text, strings.Join(got, " / "), want)
		}
	}
	for _, text := range []string{
		"a && ", "a 'b", "(", "if a", "a <<X", strings.Repeat("(", 200), strings.Repeat("a;", 40<<10), strings.Repeat("a;", 2000),
		"f1(){ a;a;a;a;a;a;a;a;a;a;}; f2(){ f1;f1;f1;f1;f1;f1;f1;f1;f1;f1;}; f3(){ f2;f2;f2;f2;f2;f2;f2;f2;f2;f2;f2;f2;}; f3;f3",
	} {
		if parts, err := Parse(text); err == nil {
			t.Errorf("Parse(%.60q) = %v", text, parts)
		}
	}
}

// Any text is parsed or refused. The parts are pieces of it.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"a && b | c & wait", "f() { a; }; f", "while true; do x; done", "cat <<X\ny\nX\n", "$(a) \"b$c\"", "((((1))))"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := Parse(text)
		if err != nil && parts != nil {
			t.Errorf("parts and %v", err)
		}
		for _, p := range parts {
			if len(p.Args) == 0 || p.Start < 0 || p.Start >= p.End || p.End > len(text) {
				t.Errorf("%+v of a text of %d bytes", p, len(text))
			}
		}
	})
}
