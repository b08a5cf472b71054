package guard

import (
	"slices"
	"strings"
	"testing"
)

// Each program has one line in the table, and each line is one that is read.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for l := range strings.Lines(programTable) {
		if l = strings.TrimSpace(l); l == "" || l[0] == '#' {
			continue
		}
		names, rest, ok := strings.Cut(l, ": ")
		if !ok {
			t.Errorf("%q has no colon", l)
		}
		for name := range strings.FieldsSeq(names) {
			if found, _ := tableLine(name); seen[name] || found != rest {
				t.Errorf("%s stands twice, or its line is not read", name)
			}
			seen[name] = true
		}
	}
	programs.Clear()
	for name, want := range map[string]string{"python3.12": "py", "perl5.36": "perl", "lua5.4": "lua", "node20": "js", "ruby-3.2": "rb", "7": "", "-": "", "": ""} {
		if p, _ := known(name); p.words["file"] != want {
			t.Errorf("%q has code in %q", name, p.words["file"])
		}
	}
	if p := parseProgram("v=-a,--bb line=-c,-d writes=of"); !p.values["-a"] || !slices.Equal(p.lists["line"], []string{"-c", "-d"}) || p.words["writes"] != "of" {
		t.Errorf("%+v", p)
	}
}
