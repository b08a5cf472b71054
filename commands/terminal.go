package commands

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/screen"
)

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// windowSize returns the size of the terminal, or 80x24 if the terminal does not know its size.
func windowSize(tty *os.File) (ledger.Size, error) {
	cols, rows, err := term.GetSize(int(tty.Fd()))
	if cols <= 0 || rows <= 0 {
		cols, rows = 80, 24
	}
	return ledger.Size{Cols: cols, Rows: rows}, err
}

// sizeOf returns the size of a person's terminal as the size for a session. If w is not a terminal, the size is 80 by
// 24.
func sizeOf(w io.Writer) ledger.Size {
	if out, ok := w.(*os.File); ok {
		if cols, rows, err := term.GetSize(int(out.Fd())); err == nil && cols > 0 && rows > 0 {
			return ledger.Size{Cols: min(cols, screen.MaxCols), Rows: min(rows, screen.MaxRows)}
		}
	}
	return ledger.Size{Cols: 80, Rows: 24}
}

// A keyboard is the terminal that is standard input. A nil keyboard has no keys.
type keyboard struct {
	in    *os.File
	saved *term.State // its settings before raw
}

// keyboardOf returns the terminal that is standard input, or nil if there is none.
func keyboardOf(cmd *cli.Command) (*keyboard, error) {
	in, ok := cmd.Root().Reader.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return nil, nil
	}
	saved, err := term.GetState(int(in.Fd()))
	return &keyboard{in, saved}, err
}

// raw makes the terminal pass on each key at once.
func (k *keyboard) raw() error {
	if k == nil {
		return nil
	}
	_, err := term.MakeRaw(int(k.in.Fd()))
	return err
}

// restore undoes raw.
func (k *keyboard) restore() error {
	if k == nil {
		return nil
	}
	return term.Restore(int(k.in.Fd()), k.saved)
}

// keys returns a channel with what is typed. It is nil without a terminal.
func (k *keyboard) keys() <-chan []byte {
	if k == nil {
		return nil
	}
	return readKeys(k.in)
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

// terminalSignals catches the signals for a program that has taken over the person's terminal: those that end it, and
// those that report a new size.
func terminalSignals() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 4)
	signal.Notify(signals, endSignals(windowSignals()...)...)
	return signals, func() { signal.Stop(signals) }
}

// endsTerminal reports whether a signal of terminalSignals ends the program.
func endsTerminal(sig os.Signal) bool {
	return sig == os.Interrupt || sig == syscall.SIGTERM || sig == syscall.SIGHUP
}
