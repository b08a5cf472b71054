package commands

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/runner/guard"
)

// A policyShowResult is the output of policy show --json.
type policyShowResult struct {
	Agent    bool           `json:"agent"`    // this is the call of an agent: the built-in rules hold, and the pins for agents
	Policies []guard.Source `json:"policies"` // policies that count for this call
	Pins     guard.Pins     `json:"pins"`     // pins of the isolation: that of the machine, and your own
}

// policyShow prints what is in force for calls about the state folder at path.
func policyShow(cmd *cli.Command, path string) error {
	profile, err := profileOf(cmd)
	policy, bad := loadPolicy(path, profile)
	pins, wrong := pinsOf(true)
	if err = cmp.Or(err, bad, wrong); err != nil {
		return err
	}
	return show(cmd, policyShowResult{profile == profileAgent, policy.Sources(), pins}, policyShowText)
}

// policyShowText prints a line for the caller, each policy and each pin.
func policyShowText(w io.Writer, r policyShowResult) error {
	text := "caller: " + map[bool]string{true: "an agent", false: "no agent"}[r.Agent] + "\n"
	for _, p := range r.Policies {
		trust := map[bool]string{false: ": not trusted, so what it allows does not count"}[p.Trusted]
		text += oneLine(fmt.Sprintf("policy: %s (rules: %d)%s", p.File, p.Rules, trust)) + "\n"
	}
	for _, p := range r.Pins {
		files := strings.Join(append([]string{""}, p.AllowWrite...), ", allow_write ") + strings.Join(append([]string{""}, p.DenyRead...), ", deny_read ")
		only := map[string]string{profileAgent: ": only for agents"}[p.Profile]
		text += oneLine(fmt.Sprintf("pin: isolation %s, net %s%s (%s:%d)%s", p.Minimum, p.Net, files, p.File, p.Line, only)) + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
