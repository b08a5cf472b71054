package guard

import (
	"slices"
	"testing"
)

// What a policy allows is told by its conditions, not by its text: what looks like a condition within a string is none.
func TestAllowances(t *testing.T) {
	set, err := parsePolicy("p", []byte(`
[pty]
kill = "allow"
[[rule]]
name = "tests"
action = "allow"
reason = """
program = ["ls"]
"""
[[rule]]
name = "pushes"
action = "allow"
calls = ["run", "launch"]
program = ["git"]
subcommand = ["push", "remote add"]
all_flags = [["-f", "--force"], ["-q"]]
paths = ["outside"]
[[rule]]
name = "no"
action = "deny"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Allowance{
		{Name: "pty.kill", Line: 3, Calls: []string{"kill", "kill-orphans"}},
		{Name: "tests", Line: 4},
		{Name: "pushes", Line: 10, Calls: []string{"run", "launch"}, Conditions: []string{
			`program = ["git"]`, `subcommand = ["push", "remote add"]`, `all_flags = [["-f", "--force"], ["-q"]]`, `paths = ["outside"]`,
		}},
	}
	if got := set.allowances(); !slices.EqualFunc(got, want, func(a, b Allowance) bool {
		return a.Name == b.Name && a.Line == b.Line && slices.Equal(a.Calls, b.Calls) && slices.Equal(a.Conditions, b.Conditions)
	}) {
		t.Errorf("%+v", got)
	}
}
