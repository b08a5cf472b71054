package commands

import (
	"slices"
	"strings"
	"testing"

	"devtools/runner/wire"
)

// What keys type is told as lines: keys that erase are applied, and what was erased is told apart. In a shell, keys that only it
// understands make a line unknown.
func TestTypedTexts(t *testing.T) {
	for _, c := range []struct {
		before  string
		keys    string // separated by |
		inShell bool
		want    string // texts, separated by |
	}{
		{"", "npm test|Enter", true, "npm test\n"},
		{"", "npm test", true, "npm test"},
		{"su", "do ls|Enter", true, "sudo ls\n"},
		{"", "sux|BSpace|do|Enter", true, "sudo\n|sux"},
		{"", "a b|C-w|c|Enter", true, "a c\n|a b"},
		{"", "rm|C-u|ls|Enter", true, "ls\n|rm"},
		{"", "rm|C-c|ls|Enter", true, "ls\n|rm"},
		{"", "a|Enter|b|Enter", true, "a\nb\n"},
		{"", "ls fo|Tab|Enter", true, "ls fo*\n"},
		{"", "Tab|Tab|Enter", true, "\n"},
		{"", "Ada|Tab|Lovelace|Enter", false, "Ada\nLovelace\n"},
		{"", "Down|Down|Enter", false, "\n\n\n"},
		{"", "Up|Enter", true, unknownLine + "\n"},
		{"", "do ls|Home|su|Enter", true, unknownLine + "\n|do lssu"},
		{"", "C-l|ls|Enter", true, "ls\n"},
		{"", "Escape|:wq|Enter", false, "\n:wq\n"},
		{"", "ä|BSpace|b", true, "b|ä"},
	} {
		got := typedTexts([]byte(c.before), wire.Keys{Args: strings.Split(c.keys, "|")}, c.inShell)
		if want := strings.Split(c.want, "|"); !slices.Equal(got, want) {
			t.Errorf("%q behind %q: %q, want %q", c.keys, c.before, got, want)
		}
	}
	for form, arg := range map[string]string{wire.Hex: "6c 73 0d", wire.Literal: "ls\r", wire.Bytes: "ls\r"} {
		if got := typedTexts(nil, wire.Keys{Form: form, Args: []string{arg}}, true); !slices.Equal(got, []string{"ls\n"}) {
			t.Errorf("%s: %q", form, got)
		}
	}
}

// Any bytes can be typed: there is always a text, without a key in it.
func FuzzTypedTexts(f *testing.F) {
	for _, data := range []string{"ls\r", "a\x7fb", "\x1b[1;5A", "\x1bO", "\x1b", "x\x17\x15\x03\x04\t", "\xff\xfe"} {
		f.Add(data, true)
	}
	f.Fuzz(func(t *testing.T, data string, inShell bool) {
		for _, text := range typedTexts(nil, wire.Keys{Form: wire.Bytes, Args: []string{data}}, inShell) {
			if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }); i >= 0 {
				t.Errorf("%q: %q", data, text)
			}
		}
	})
}
