package prompt

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := Parse([]byte("[[prompt]]\npattern = '^Target: $'\nkind = \"choice\"\n\n[[prompt]]\nkind = 'line'\npattern = 'x'\n"))
	if err != nil || len(got) != 2 || got[0].Kind != Choice || got[0].RE.String() != "^Target: $" || got[1].Kind != Line {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Parse(nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
}

func TestParseFaults(t *testing.T) {
	for data, want := range map[string]string{
		"[[prompts]]\npattern = 'x'\nkind = 'line'\n":                           "line 1: unknown key prompts: ",
		"\npattern = 'x'\n":                                                     "line 2: unknown key pattern: ",
		"[[prompt]]\npattern = 'x'\nkind = 'line'\nmatch = true\n":              "line 4: unknown key prompt.match: ",
		"[other]\nx = 1\n":                                                      "line 1: unknown key other",
		"[[prompt]]\npattern = 'x\n":                                            "line 2: ",
		"[[prompt]]\npattern = 'x'\nkind = 'lines'\n":                           "prompt 1: unknown kind \"lines\": ",
		"[[prompt]]\npattern = ''\nkind = 'line'\n":                             "prompt 1: the pattern has 0 bytes",
		"[[prompt]]\npattern = '('\nkind = 'line'\n":                            "prompt 1: error parsing regexp",
		"[[prompt]]\npattern = 7\nkind = 'line'\n":                              "line 2: ",
		strings.Repeat("[[prompt]]\npattern='x'\nkind='line'\n", maxPatterns+1): "257 patterns: ",
	} {
		if got, err := Parse([]byte(data)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q: %v, %v, want %s", data, got, err, want)
		}
	}
}
