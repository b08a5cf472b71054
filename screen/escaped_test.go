package screen

import "testing"

// What would change how a line reads is shown as an escape, and all else stays.
func TestEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"plain text":                "plain text",
		"naïve 日本語 👩\u200d💻 \u05e9": "naïve 日本語 👩\u200d💻 \u05e9",
		"a\tb\nc\r\nd":              "a b c  d",
		"\x1b[31mred\x07\x7f\u009b": `\u001b[31mred\u0007\u007f\u009b`,
		"exe\u202egpj":              `exe\u202egpj`,
		"\u2066a\u2069\u200e\u200f\u061c\u200b\ufeff\u00ad": `\u2066a\u2069\u200e\u200f\u061c\u200b\ufeff\u00ad`,
		"x\U000e0041":  `x\U000e0041`,
		"\u2028\u2029": `\u2028\u2029`,
		"\xff":         "\xff",
	} {
		if got := Escaped(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
