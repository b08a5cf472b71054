package guard

import (
	"fmt"
	"slices"
)

// TestExamples judges the lines that the rules of the policies have as examples, and returns how many there are. The error is a
// *FileError for the first one that its rule does not treat as it says.
func (p *Policy) TestExamples() (tested int, err error) {
	for i := range p.sets {
		n, err := p.sets[i].testExamples()
		if tested += n; err != nil {
			return tested, err
		}
	}
	return tested, nil
}

func (s *ruleSet) testExamples() (tested int, err error) {
	for _, r := range s.rules {
		for i, text := range slices.Concat(r.Match, r.NotMatch) {
			want := i < len(r.Match)
			if tested++; s.decides(&r, text) != want {
				does := map[bool]string{true: "does not match", false: "matches"}[want]
				return tested, &FileError{File: s.file, Line: r.line, Err: fmt.Errorf("rule %q %s its example %q", r.Name, does, text)}
			}
		}
	}
	return tested, nil
}

// decides reports whether a rule decides about a command of a line in a workspace /home/u/app of the home folder /home/u.
func (s *ruleSet) decides(r *rule, text string) bool {
	set := *s
	set.trusted, set.role = true, ofUser // what it allows is seen, too
	kind := KindRun
	if r.Calls != nil {
		kind = r.Calls[0]
	}
	p := Policy{sets: []ruleSet{set}}
	_, commands := p.Explain(Call{
		Kind: kind, Line: text, Shell: "bash", Dir: "/home/u/app", Workspace: "/home/u/app", Env: []string{"HOME=/home/u", "USER=u"},
	})
	return slices.ContainsFunc(commands, func(c Command) bool { return c.Verdict.Rule == r.Name })
}
