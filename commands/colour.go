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

// colours reports whether a table is coloured. --color decides. With auto, a table is coloured on a terminal, unless
// NO_COLOR is set or TERM is dumb.
func colours(cmd *cli.Command) bool {
	if when := cmd.String("color"); when != "auto" {
		return when == "always"
	}
	stdout, ok := cmd.Root().Writer.(*os.File)
	return ok && term.IsTerminal(int(stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
