package line

import (
	"testing"
	"time"
)

func TestFromFish(t *testing.T) {
	for text, want := range map[string]string{
		"ls -l | head; echo a & ":                                 "ls -l | head; echo a & ",
		`echo 'it\'s \\ \n' "a\"$x" don\'t`:                       `echo 'it'\''s \ \n' "a\"$x" don\'t`,
		`\x73udo sud\157 \Xff tr \n ' '`:                          `$'\x73'udo sud$'\157' $'\xff' tr $'\n' ' '`,
		`echo (ls "(a)" '(b)') $(c) "$(d)"`:                       `echo $(ls "(a)" '(b)') $(c) "$(d)"`,
		"$$x {$x}do {a,$b} a@{0}":                                 `${!x} $x""do {a,$b} a@{0}`,
		"make &| cat; a 2>| b":                                    "make |& cat; a 2| b",
		"a; and b; or not c":                                      "a; __= && b; __= ||  c",
		"if a; b; else if c; d; else; e; end":                     "if a;then __=; b; elif c;then __=; d; else __=; e; fi",
		"if a\nb # it's\nelse b\nend":                             "if a\nthen __=;b \nelse __=; b\nfi",
		"while a; b; end > c":                                     "while a;do __=; b; done > c",
		"for x in a (b); $x; end | c":                             "for x in a $(b);do __=; $x; done | c",
		"begin; a; end; begin b; end":                             "{ __=; a; }; { __=; b; }",
		"switch $x; case a b; c; case '*'; d; end; switch y; end": ": $x; if : a b;then __=; c; fi;if : '*';then __=; d; fi; : y; __=",
		"function f -a x y; $x; end":                              "f() { __=; x=${1}; y=${2}; $x; }",
		"function f --on-event e\na\nend":                         "f() { __=\na\n}; f",
		"function f -d (a); b; end":                               "function f -d $(a); b; end",
		"echo if; echo end":                                       "echo if; echo end",
		"if a; for b in c":                                        "if a;then __=; for b in c\ndo __=;done\nfi",
		"echo 'it\\'s":                                            `echo 'it'\''s'`,
		"echo (if a; b":                                           "echo $(if a;then __=; b\nfi)",
		"if a; echo (b":                                           "if a;then __=; echo $(b)\nfi",
		"echo (if a; b; end)":                                     "echo $(if a;then __=; b; fi)",
	} {
		if got := fromFish(text); got != want {
			t.Errorf("%q is\n%q, want\n%q", text, got, want)
		}
	}
}

// Any text of fish is read in a short time.
func FuzzFish(f *testing.F) {
	for _, text := range []string{
		"if a; b; else if c; end", "for x in (a); $x[1]; end", "switch $$x; case {$a}; end", `function f -a x; \x73 'a\'b'; end`, "begin; and not ! or\n",
		"set -a x b; $x", "echo \"$(a '(' )\" #", "a &| b 2>| c",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		ev := &Evaluation{Visit: func(*Command) string { return Unknown }}
		_ = ev.Evaluate(text, "fish", "/w", nil)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%v for %d bytes", took, len(text))
		}
	})
}
