//go:build unix

package guard

import (
	"strings"
	"testing"
)

// The words of each shell do not hide a command from the rules, and its own harmless lines pass: testdata/shells.txt.
func TestShells(t *testing.T) {
	root := workspace(t)
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table(t, "shells.txt") {
		want, rest, _ := strings.Cut(row, "\t")
		shell, text, _ := strings.Cut(rest, "\t")
		text = strings.ReplaceAll(text, "␤", "\n")
		v := p.Judge(Call{Kind: KindRun, Argv: []string{shell, "-c", text}, Dir: root, Workspace: root, Env: agentEnv})
		if got := map[bool]string{true: "stop", false: "pass"}[v.Action >= Confirm]; got != want {
			t.Errorf("%s: %q: %s (%s), want %s", shell, text, got, v.Reason, want)
		}
	}
}
