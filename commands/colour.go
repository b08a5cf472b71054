package commands

import (
	"os"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"
)

// Colours, ECMA-48 8.3.117.
const (
	red       = "\x1b[31m"
	green     = "\x1b[32m"
	faint     = "\x1b[2m"
	plainText = "\x1b[m"
)

// colours reports whether a table is to be coloured: as --color says, and with auto on a terminal whose
// user has not set NO_COLOR.
func colours(cmd *cli.Command) bool {
	if when := cmd.String("color"); when != "auto" {
		return when == "always"
	}
	stdout, ok := cmd.Root().Writer.(*os.File)
	return ok && term.IsTerminal(int(stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
