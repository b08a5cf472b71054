package commands

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/signal"
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
			request(redo)
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

// request asks a watch to build and start its program again.
func request(redo chan<- struct{}) {
	select {
	case redo <- struct{}{}:
	default: // a restart is already requested
	}
}

// watchRestarts makes the signal of restart do what the key r does, until stop is called.
func watchRestarts(redo chan<- struct{}) (stop func()) {
	if redoSignal == 0 {
		return func() {}
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, redoSignal)
	go func() {
		for range signals {
			request(redo)
		}
	}()
	return func() { signal.Stop(signals) }
}
