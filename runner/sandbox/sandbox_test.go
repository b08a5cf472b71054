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

// The first process decides: what is known of it, then whether it is confined and has our output.
func TestEndsWithCall(t *testing.T) {
	self, err := proc.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"systemd":         "",
		"codex-linux-san": "codex-linux-sandbox",
		"apply-seccomp":   "apply-seccomp",
		"bwrap":           "", // the test has no --die-with-parent
	} {
		self.Name = name
		if got := endsWithCall(self); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
