package condition

import (
	"fmt"
	"testing"
)

func TestPatternFaults(t *testing.T) {
	for text, want := range map[string]string{
		"[":          "a ] is missing",
		"(":          "a ) is missing",
		")":          "a ( is missing before a )",
		"*x":         `"*" has nothing before it to repeat`,
		"x**":        `"**" repeats a repetition`,
		"x{2000}":    `"{2000}" is no repetition of at most 1000 times`,
		"a(?=b)":     `"(?=" is not supported: there is no looking ahead or behind (RE2)`,
		`(a)\1`:      `"\\1" stands for no character (RE2 has no references such as \1)`,
		"[z-a]":      `"z-a" is no range of characters`,
		"(?P<a":      `"(?P<a" is no group with a name: use (?P<NAME>RE)`,
		`a\`:         `nothing follows the \ at its end`,
		"\xff":       "it is not UTF-8",
		"(?m)x{1001": "",
	} {
		_, err := Pattern(text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if want != "" {
			want = fmt.Sprintf("invalid regular expression %q: %s", text, want)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
