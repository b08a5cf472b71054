package commands

import (
	"context"
	"errors"
	"os"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/screen/replay"
)

// playOnTerminal plays a tape on the person's terminal, which is standard output. The keys come from the terminal
// that is standard input. However the playing ends, the terminal is then as before. sig is the signal that ended it.
func playOnTerminal(ctx context.Context, cmd *cli.Command, tape *replay.Tape, speed float64) (sig os.Signal, err error) {
	out, ok := cmd.Root().Writer.(*os.File)
	if !ok {
		return nil, errors.New("standard output is not a terminal")
	}
	window, err := windowSize(out)
	if err != nil {
		return nil, err
	}
	if l := tape.Largest; l.Cols > window.Cols || l.Rows > window.Rows {
		note(cmd, "the recording has %dx%d cells and this terminal %dx%d: the rest is cut off", l.Cols, l.Rows, window.Cols, window.Rows)
	}
	keyboard, err := keyboardOf(cmd)
	if err != nil {
		return nil, err
	}
	if err := keyboard.raw(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, keyboard.restore()) }()
	signals, stop := terminalSignals()
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	resized := make(chan ledger.Size, 1)
	go followWindow(out, signals, resized, cancel)
	player := &replay.Player{
		Tape: tape, Out: out, Window: window, Speed: speed, Keys: keyboard.keys(), Resized: resized,
		Suspend: func() error {
			if err := keyboard.restore(); err != nil {
				return err
			}
			stopSelf()
			return keyboard.raw()
		},
	}
	err = player.Run(ctx)
	if ended, ok := errors.AsType[*signalError](context.Cause(ctx)); ok {
		return ended.signal, nil
	}
	if errors.Is(err, replay.ErrInterrupted) {
		err = exitCode(codeInterrupted)
	}
	return nil, err
}

// A signalError is the cause of an end by a signal.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return "ended by " + e.signal.String() }

// followWindow passes on the size of the terminal when it changes, and calls end when a signal ends the program.
func followWindow(out *os.File, signals <-chan os.Signal, resized chan ledger.Size, end context.CancelCauseFunc) {
	for sig := range signals {
		if endsTerminal(sig) {
			end(&signalError{sig})
			return
		}
		if size, err := windowSize(out); err == nil {
			select {
			case <-resized: // drop a size that nobody has taken
			default:
			}
			resized <- size
		}
	}
}
