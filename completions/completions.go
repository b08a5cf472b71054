// Package completions holds the scripts that complete the command line in the shells. Each asks the
// program, with DEVTOOLS_COMPLETE=1 in its environment, for the words that can come next; none evaluates
// what is typed.
package completions

import _ "embed"

//go:embed devtools.bash
var bash string

//go:embed devtools.zsh
var zsh string

//go:embed devtools.fish
var fish string

//go:embed devtools.ps1
var pwsh string

// Variable is set in the environment of the program when a script asks it.
const Variable = "DEVTOOLS_COMPLETE"

// Shells are the shells that there are scripts for.
var Shells = []string{"bash", "zsh", "fish", "pwsh"}

// Script returns the script for a shell, or "" when there is none.
func Script(shell string) string {
	return map[string]string{"bash": bash, "zsh": zsh, "fish": fish, "pwsh": pwsh}[shell]
}
