package guard

import (
	"errors"
	"strings"
	"testing"

	"devtools/runner/guard/isolation"
)

// A mistake in [isolation] is told with its line, and the table counts in two files alone.
func TestPinMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`minimum = "none"`:                            `:2: [isolation] needs minimum = "medium" or "high"`,
		`net = "all"`:                                 `:2: [isolation] needs minimum`,
		"minimum = \"medium\"\nnet = \"none\"":        `:2: [isolation] has net or deny_read, which need minimum = "high"`,
		"minimum = \"high\"\nnet = \"some\"":          `:2: [isolation] has an unknown net "some": use none, connect, all`,
		"minimum = \"high\"\nprofile = \"person\"":    `:2: [isolation] has an unknown profile "person": use agent`,
		"minimum = \"high\"\nallow_write = [\"x\"]":   `:2: [isolation] has the path "x": use an absolute one, or ~/…, below /`,
		"minimum = \"high\"\ndeny_read = [\"/x/..\"]": `:2: [isolation] has the path "/x/..": use an absolute one`,
		"minimum = \"high\"\nallow = []":              `:4: unknown key "isolation.allow": use minimum, net, allow_write, deny_read and profile`,
		"minimum = 3":                                 `:3: minimum must be a text`,
		"minimum = \"high\"":                          "",
	} {
		_, err := parsePolicy(MachineFile, []byte("# x\n[isolation]\n"+text+"\n"))
		if got := ""; err != nil && want != "" {
			if got = err.Error(); !strings.HasPrefix(got, MachineFile) || !strings.Contains(got, want) {
				t.Errorf("%q: %s", text, got)
			}
		} else if (err != nil) != (want != "") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := parsePolicy("/w/.devtools/policies.toml", []byte("[isolation]\nminimum = \"high\"\n")); err == nil || !strings.Contains(err.Error(), ":1: [isolation] counts only in "+MachineFile) {
		t.Errorf("in another file: %v", err)
	}
}

// Of two pins each holds, and what they leave open is set so that both do.
func TestTwoPins(t *testing.T) {
	here := isolation.Resolve(t.TempDir())
	pins := Pins{
		{Minimum: "medium", Net: "all", AllowWrite: []string{here}, File: "a", Line: 1},
		{Minimum: "high", Net: "connect", AllowWrite: []string{here, "/usr"}, DenyRead: []string{"/var"}, File: "b", Line: 2},
	}
	r := &isolation.Rules{Level: isolation.High, Workspace: "/opt", Net: isolation.NetAll}
	for _, want := range []string{"b:2: the isolation is pinned: the network is connect at most, and here it is all", ""} {
		if err := pins.Check(r); (err != nil) != (want != "") || err != nil && (err.Error() != want || !errors.Is(err, isolation.ErrPinned)) {
			t.Errorf("%+v: %v", r, err)
		}
		pins.Complete(r)
	}
	if len(r.AllowWrite) < 1 || r.AllowWrite[0] != here || r.Net != isolation.NetConnect {
		t.Errorf("completed: %+v", r)
	}
	r.AllowWrite = []string{"/usr/bin"}
	if err := pins.Check(r); err == nil || !strings.HasPrefix(err.Error(), "a:1: ") {
		t.Errorf("allowed by one of two: %v", err)
	}
	if err := pins.Check(nil); err == nil || !strings.Contains(err.Error(), "b:2: the isolation is pinned: it is high at least, and here it is medium") {
		t.Errorf("the usual rules: %v", err)
	}
}
