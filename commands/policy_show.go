package commands

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/runner/guard"
	"devtools/runner/guard/isolation"
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
	if err != nil {
		return err
	}
	if err := checkFields(cmd, policyShowResult{}); err != nil {
		return err
	}
	policy, err := loadPolicy(path, profile)
	if err != nil {
		return err
	}
	pins, err := guard.LoadPins(true)
	if err != nil {
		return badPolicy(err)
	}
	return show(cmd, policyShowResult{profile == profileAgent, policy.Sources(), pins}, policyShowText)
}

// policyShowText prints a line for the caller, each policy and each pin.
func policyShowText(w io.Writer, r policyShowResult) error {
	lines := []string{"caller: " + map[bool]string{true: "an agent", false: "no agent"}[r.Agent]}
	for _, p := range r.Policies {
		trust := map[bool]string{false: ": not trusted, so what it allows does not count"}[p.Trusted]
		lines = append(lines, fmt.Sprintf("policy: %s (rules: %d)%s", p.File, p.Rules, trust))
	}
	for _, p := range r.Pins {
		line := fmt.Sprintf("pin: isolation %s, net %s", p.Minimum, cmp.Or(p.Net, isolation.NetAll))
		for i, list := range [][]string{p.AllowWrite, p.DenyRead} {
			if len(list) > 0 {
				line += fmt.Sprintf(", %s %s", []string{"allow_write", "deny_read"}[i], strings.Join(list, " "))
			}
		}
		if line += fmt.Sprintf(" (%s:%d)", p.File, p.Line); p.Profile != "" {
			line += ": only for agents"
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, oneLine(line)); err != nil {
			return err
		}
	}
	return nil
}
