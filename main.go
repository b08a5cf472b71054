// Devtools runs commands in real terminals and returns when they are truly finished.
package main

import (
	"os"

	"devtools/commands"
)

func main() {
	os.Exit(commands.Main(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
