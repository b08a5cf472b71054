package completions

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const breaks = " \t\n\"'><=;|&(:" // COMP_WORDBREAKS of bash

func TestParseBash(t *testing.T) {
	for line, want := range map[string][]string{
		"devtools":                   {"devtools"},
		"devtools ":                  {"devtools", ""},
		"devtools  log  w":           {"devtools", "log", "w"},
		`devtools "a b" 'c d' e\ f `: {"devtools", "a b", "c d", "e f", ""},
		`devtools "a b`:              {"devtools", "a b"},
		`devtools 'a"b' "c'd`:        {"devtools", `a"b`, "c'd"},
		"devtools --until=port:30":   {"devtools", "--until=port:30"},
		"devtools ''":                {"devtools", ""},
		"":                           {""},
	} {
		if got := ParseBash(line, breaks).Words; !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// What is offered stands in place of the text that readline replaces, as bash must read it.
func TestReply(t *testing.T) {
	for _, test := range []struct{ line, word, want string }{
		{"x --until=po", "--until=port", "port\n"},
		{"x --until=port:3", "--until=port:3000", "3000\n"},
		{"x port:3", "port:3000", "3000\n"},
		{`x "port:3`, "port:3000", "port:3000\n"},
		{`x --until="port:3`, "--until=port:3000", "port:3000\n"},
		{"x a", "a b$", `a\ b\$` + "\n"},
		{`x "a`, "a b$", `a b\$` + "\n"},
		{"x 'a", "a b$", "a b$\n"},
		{"x 'a", "a'b", `a'\''b` + "\n"},
		{"x p", "port:", "port:\n\topen\n"},
		{"x q", "port:", ""},
		{"x ", "two\nlines", ""},
		{"x > ", "a", "\tfiles\n"},
		{"x >a b", "b", "b\n"},
		{"x é:a", "é:ab", "ab\n"},
	} {
		if got := ParseBash(test.line, breaks).Reply(Answer{Words: []Word{{Text: test.word}}}, 0); got != test.want {
			t.Errorf("%q, %q: %q, want %q", test.line, test.word, got, test.want)
		}
	}
	line := ParseBash("dévtools run  --  git ch", breaks)
	if got := line.Reply(Answer{Left: Command, At: 3}, 0); got != "\tcommand 18\n" {
		t.Errorf("the other program begins at %q", got)
	}
	hostile := Answer{Words: []Word{{"a", "one\nrm -rf x\t\x1b]0;t\a\u202e"}}}
	if got := hostile.Lines(); got != "a\tone rm -rf x  ]0;t  \n" {
		t.Errorf("what is said of a word with control characters: %q", got)
	}
	list := Answer{Words: []Word{{"a", "first"}, {"b.2", "second, with a long explanation"}}}
	if got := ParseBash("x ", breaks).Reply(list, 30); got != "a    (first)\nb.2  (second, with a long e…\n" {
		t.Errorf("listed: %q", got)
	}
}

// Each line has words, where each starts before the next, and an answer is never more than was offered.
func FuzzParseBash(f *testing.F) {
	for _, line := range []string{"devtools log w", `a "b c`, `a\`, "a 'b", "a >b ", "é  ü=", "\x80 \x00"} {
		f.Add(line, "ab")
	}
	f.Fuzz(func(t *testing.T, line, word string) {
		l := ParseBash(line, breaks)
		if len(l.Words) == 0 || len(l.starts) != len(l.Words) || !slices.IsSorted(l.starts) {
			t.Fatalf("%q: %q starts at %v", line, l.Words, l.starts)
		}
		reply := l.Reply(Answer{Words: []Word{{Text: word}}}, 0)
		if strings.Count(reply, "\n") > 2 {
			t.Errorf("%q, %q: %q", line, word, reply)
		}
	})
}

// What is put at the cursor is, for bash, the word that was offered and nothing else: no command runs, and no other word begins.
func FuzzReply(f *testing.F) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		f.Skip("bash is not installed")
	}
	for i, text := range []string{"a b", "$(echo x)", "'; echo x; '", "`echo x`", `a"b\c`, "~", "#x", "*", "!!", "é世", "a=b:c"} {
		f.Add(text, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, how uint8) {
		quote := []string{"", "'", "\""}[how%3]
		word := Word{Text: text}
		reply, _, found := strings.Cut(ParseBash("devtools log "+quote, breaks).Reply(Answer{Words: []Word{word}}, 0), "\n")
		if !found {
			return // a text that cannot be typed
		}
		out, err := exec.CommandContext(t.Context(), bash, "-c", "printf '%s\\0' "+quote+reply+quote).CombinedOutput()
		if err != nil || string(out) != text+"\x00" {
			t.Errorf("%q is put as %s%s: bash reads %q, %v", text, quote, reply, out, err)
		}
	})
}
