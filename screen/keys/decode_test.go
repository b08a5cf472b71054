package keys

import "testing"

func TestNotation(t *testing.T) {
	for typed, want := range map[string]string{
		"":                               "",
		"ls -la\r":                       "ls -la[Enter]",
		"\x03":                           "[C-c]",
		"\x1b":                           "[Escape]",
		"\x1b\x1b":                       `\x1b[Escape]`,
		"\x1bx\x1b\r":                    "[M-x][M-Enter]",
		"\x1b[A\x1bOB\x1b[1;5C":          "[Up][Down][C-Right]",
		"\x1b[15~\x1bOP\x1b[3;2~\x1b[Z":  "[F5][F1][S-Delete][S-Tab]",
		"\x1b[99~":                       `\x1b[[99~`,
		"a\tb\x7f\x00":                   "a[Tab]b[BSpace][C-Space]",
		"[UP] ^C \\n":                    `[[UP] ^^C \\n`,
		"\x1b[200~two\rlines\x1b[201~\r": "two[Enter]lines[Enter]",
		"é\xff":                          `é\xff`,
	} {
		if got := Notation(typed); got != want {
			t.Errorf("%q is %s, want %s", typed, got, want)
		}
	}
}

// What the notation says is what was typed, but for the brackets of a paste and keys of application mode.
func FuzzNotation(f *testing.F) {
	f.Add("ls [x] ^C <CR> \\n\r\x1b[1;5A\x1b\x1bx\xff\x00é")
	f.Fuzz(func(t *testing.T, typed string) {
		strokes, err := Parse([]string{Notation(typed)})
		if err != nil {
			t.Fatalf("%q is %q: %v", typed, Notation(typed), err)
		}
		pieces, err := Encode(strokes, Modes{}, false)
		if err != nil {
			t.Fatalf("%q is %q: %v", typed, Notation(typed), err)
		}
		sent := ""
		for _, p := range pieces {
			sent += string(p.Data)
		}
		if Notation(sent) != Notation(typed) {
			t.Errorf("%q is %q, which types %q", typed, Notation(typed), sent)
		}
	})
}
