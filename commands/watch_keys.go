package commands

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/runner/watch"
)

// watchKeys carries out what a person types: r and q, each on a line. If standard input is not a terminal, watchKeys
// reads it only with --stdin-close-exits. With that flag, the end of standard input ends the watch. With keep its
// program then continues.
func watchKeys(cmd *cli.Command, redo chan<- struct{}, keep bool, end context.CancelCauseFunc) {
	stdin, ok := cmd.Root().Reader.(*os.File)
	closes := cmd.Bool("stdin-close-exits")
	if !ok || !isTerminal(stdin) && !closes {
		return
	}
	in := io.Reader(stdin)
	if isTerminal(stdin) {
		in = foregroundReader{stdin}
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		switch strings.TrimSpace(lines.Text()) {
		case "r":
			select {
			case redo <- struct{}{}:
			default: // a restart is already requested
			}
		case "q":
			end(watch.ErrQuit)
			return
		}
	}
	switch {
	case closes && keep:
		end(errClosed)
	case closes:
		end(watch.ErrStop)
	}
}
