package sandbox

import (
	"os"
	"strings"
	"testing"

	"devtools/runner/proc"
)

// Each line of the table has a kind that is known, and as many fields as it needs.
func TestTable(t *testing.T) {
	fields := map[string][2]int{"sandbox": {3, 3}, "first": {1, 2}, "init": {1, 1}} // fewest and most
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		kind, rest, _ := strings.Cut(line, "\t")
		if n, want := strings.Count(rest, "\t")+1, fields[kind]; n < want[0] || n > want[1] || rest == "" || strings.Contains(rest, "\t\t") {
			t.Errorf("%q: %d fields, want %v", line, n, want)
		}
	}
	for kind := range fields {
		seen := false
		for range lines(kind) {
			seen = true
		}
		if !seen {
			t.Errorf("no line of kind %s", kind)
		}
	}
}

// The first process decides: what is known of it, then whether it is confined as we are.
func TestEndsWithCall(t *testing.T) {
	self, err := proc.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	confined := proc.NoNewPrivs(os.Getpid())
	for _, c := range []struct {
		name string
		in   Sandbox
		want string
	}{
		{"systemd", Sandbox{Name: "Codex", Confined: confined}, ""},
		{"codex-linux-san", Sandbox{}, "codex-linux-sandbox"},
		{"bwrap", Sandbox{Name: "Claude Code", Confined: confined}, ""}, // the test has no --die-with-parent
		{"apply-seccomp", Sandbox{Name: "Claude Code", Confined: confined}, "apply-seccomp"},
		{"node", Sandbox{Name: "Codex", Confined: !confined}, ""},
	} {
		first := self
		first.Name = c.name
		if got := endsWithCall(first, 0, c.in); got != c.want {
			t.Errorf("%s in %+v: got %q, want %q", c.name, c.in, got, c.want)
		}
	}
}
