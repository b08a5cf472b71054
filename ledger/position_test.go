package ledger

import (
	"math"
	"testing"
)

func TestParsePosition(t *testing.T) {
	for text, want := range map[string]Position{
		"0":                    {},
		"18231":                {Offset: 18231},
		"6akrqmv06z:18231":     {"6akrqmv06z", 18231},
		"6akrqmv06z:0":         {"6akrqmv06z", 0},
		"9223372036854775807":  {Offset: math.MaxInt64},
		"0123456789:000000012": {"0123456789", 12},
	} {
		if got, err := ParsePosition(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", ":", "null", "-1", "+1", " 1", "1 ", "1.5", "0x10", "1_000", "9223372036854775808", ":5", "6akrqmv06z", "6akrqmv06z:",
		"6akrqmv06z:-1", "6akrqmv06z: 1", "6akrqmv06z:1:2", "my-server:12", "../6akrqmv06z:12", "90s",
	} {
		if got, err := ParsePosition(text); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// The text of a position parses to the same position, and its session id is not a path.
func FuzzParsePosition(f *testing.F) {
	for _, text := range []string{"0", "18231", "6akrqmv06z:18231", "6akrqmv06z:9223372036854775808", "a/b:1", "::"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePosition(text)
		if err != nil {
			return
		}
		if p.Offset < 0 || p.Session != "" && !isID(p.Session) {
			t.Fatalf("%q: %+v", text, p)
		}
		if again, err := ParsePosition(p.String()); err != nil || again != p {
			t.Errorf("%q: %+v, again %+v, %v", text, p, again, err)
		}
	})
}
