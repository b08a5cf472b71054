package commands

import (
	"strings"
	"testing"

	"devtools/runner/guard"
	"devtools/runner/guard/mask"
)

// A secret that stands where a long text is cut is masked in both parts.
func TestCutSecrets(t *testing.T) {
	secret := "begin-" + strings.Repeat("0123456789abcdef", 30) + "-end"
	hide := mask.New([]string{secret}).String
	for _, cut := range []int{mostCall / 2, mostShown / 2} {
		text := strings.Repeat("x", cut-20) + secret + strings.Repeat("y", 2*mostCall)
		var c confirmation
		c.add(guard.Call{Kind: guard.KindRun, Line: text, Mask: hide}, guard.Verdict{Action: guard.Confirm, Command: text}, nil)
		shown := append(c.lines("run"), verdictText(briefly(c.verdicts[0])), shortCommand(c.about[0]))
		if all := strings.Join(shown, "\n"); strings.Contains(all, "begin-") || strings.Contains(all, "-end") || !strings.Contains(all, "xx****") {
			t.Errorf("cut at %d: %.400s", cut, all)
		}
	}
}
