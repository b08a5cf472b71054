// Package completions holds the scripts that complete the command line in the shells, and what they and the program say to
// each other. Each script asks the program, with its shell in [Variable] in the environment, for the words that can come next.
// The arguments are the words up to the cursor, of which the last may be "". PowerShell writes = before that one. Bash gives
// its line in place of words, see [ParseBash]. Nothing evaluates what is typed.
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

// Variable is the variable with the name of the shell whose script asks.
const Variable = "DEVTOOLS_COMPLETE"

// Shells are the shells that there are scripts for.
var Shells = []string{"bash", "zsh", "fish", "pwsh"}

// Script returns the script for a shell, or "" when there is none.
func Script(shell string) string {
	return map[string]string{"bash": bash, "zsh": zsh, "fish": fish, "pwsh": pwsh}[shell]
}
