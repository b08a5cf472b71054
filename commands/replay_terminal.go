package commands

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/screen/replay"
)

// playOnTerminal plays a tape on the person's terminal, which is standard output. The keys come from the terminal
// that is standard input. However the playing ends, the terminal is then as before. sig is the signal that ended it.
func playOnTerminal(ctx context.Context, cmd *cli.Command, tape *replay.Tape, speed float64) (sig os.Signal, err error) {
	out, ok := cmd.Root().Writer.(*os.File)
	if !ok {
		return nil, errors.New("standard output is no terminal")
	}
	window, err := windowSize(out)
	if err != nil {
		return nil, err
	}
	if l := tape.Largest; l.Cols > window.Cols || l.Rows > window.Rows {
		note(cmd, "the recording has %dx%d cells, this terminal %dx%d: what does not fit is not shown", l.Cols, l.Rows, window.Cols, window.Rows)
	}
	p := &replay.Player{Tape: tape, Out: out, Window: window, Speed: speed}
	if in, ok := cmd.Root().Reader.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		saved, err := term.MakeRaw(int(in.Fd()))
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, term.Restore(int(in.Fd()), saved)) }()
		p.Keys = readKeys(in)
		p.Suspend = func() error {
			if err := term.Restore(int(in.Fd()), saved); err != nil {
				return err
			}
			stopSelf()
			_, err := term.MakeRaw(int(in.Fd()))
			return err
		}
	}
	resized := make(chan ledger.Size, 1)
	p.Resized = resized
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, append(windowSignals(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)...)
	defer signal.Stop(signals)
	ended := make(chan os.Signal, 1)
	go func() {
		for sig := range signals {
			if sig == os.Interrupt || sig == syscall.SIGTERM || sig == syscall.SIGHUP {
				ended <- sig
				cancel()
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
	}()
	err = p.Run(ctx)
	select {
	case sig = <-ended:
		return sig, nil
	default:
	}
	if errors.Is(err, replay.ErrInterrupted) {
		err = exitCode(codeInterrupted)
	}
	return nil, err
}

// windowSize returns the size of the terminal, or 80x24 if the terminal does not know its size.
func windowSize(tty *os.File) (ledger.Size, error) {
	cols, rows, err := term.GetSize(int(tty.Fd()))
	if cols <= 0 || rows <= 0 {
		cols, rows = 80, 24
	}
	return ledger.Size{Cols: cols, Rows: rows}, err
}

// readKeys returns a channel with what is typed. The channel is closed when there is no more input.
func readKeys(in io.Reader) <-chan []byte {
	keys := make(chan []byte)
	go func() {
		defer close(keys)
		for {
			buffer := make([]byte, 256)
			n, err := in.Read(buffer)
			if n > 0 {
				keys <- buffer[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	return keys
}
