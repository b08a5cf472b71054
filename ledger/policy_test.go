package ledger

import (
	"os"
	"testing"
)

// A new policy can be seen by git also in a folder of an older devtools, but not if people have changed the .gitignore.
func TestNewPolicy(t *testing.T) {
	for was, want := range map[string]string{
		"*\n!prompts.toml\n!stacks.toml\n!sessions.toml\n": ignored,
		"*\n":                     ignored,
		ignored:                   ignored,
		"*\n!prompts.toml\n*.x\n": "*\n!prompts.toml\n*.x\n",
	} {
		d := newDir(t)
		if err := os.WriteFile(d.file(ignoreFile), []byte(was), 0o600); err != nil {
			t.Fatal(err)
		}
		path, err := d.NewPolicy("# rules\n")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(d.file(ignoreFile)); err != nil || string(got) != want {
			t.Errorf("%q became %q, %v", was, got, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "# rules\n" {
			t.Errorf("%q, %v", got, err)
		}
	}
}
