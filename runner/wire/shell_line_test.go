package wire

import (
	"strings"
	"testing"
)

// A shell that talks to a person is known by its name and its options, also behind env.
func TestShellOf(t *testing.T) {
	for line, want := range map[string]string{
		"bash": "bash", "/bin/bash -i": "bash", "bash -il": "bash login", "bash --norc": "bash bare", "bash --noprofile": "bash",
		"bash -l --norc": "bash login", "bash --noprofile --login": "bash login bare", "zsh -f": "zsh bare", "zsh -dfi": "zsh bare", "zsh -d": "zsh",
		"fish -N": "fish bare", "fish --no-config -l": "fish login bare", "dash -i": "sh", "env bash": "bash", "env A=1 B=2 zsh -f": "zsh bare",
		"/usr/bin/env -i A=1 fish": "fish", "env - dash": "sh",
		"bash -c x": "", "bash x": "", "bash --posix": "", "bash -": "", "sh -f": "", "fish -c x": "", "env": "", "env A=1": "", "env -u A bash": "",
		"env A=1 cat": "", "cat": "", "sudo bash": "",
	} {
		command := strings.Fields(line)
		kind, login, bare := ShellOf(command)
		got := kind
		if login {
			got += " login"
		}
		if bare {
			got += " bare"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
		if odd := OddArgument(command); odd != "" && want != "" {
			t.Errorf("%s: the argument %q is odd", line, odd)
		}
	}
	if odd := OddArgument([]string{"env", "A=1", "bash", "-i", "--posix"}); odd != "--posix" {
		t.Errorf("the odd argument is %q", odd)
	}
}
