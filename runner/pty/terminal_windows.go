package pty

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"devtools/ledger"
)

// errTerminal says why there is no terminal.
var errTerminal = fmt.Errorf("no terminal on Windows: --no-pty runs the command with pipes: %w", errors.ErrUnsupported)

// A Terminal exists in no session on Windows.
type Terminal struct {
	Master *os.File
}

// TellsDiscards says whether this system tells when input is thrown away unread.
const TellsDiscards = false

func (*Terminal) Resize(ledger.Size) error            { return errTerminal }
func (*Terminal) Modes() (Modes, error)               { return Modes{}, errTerminal }
func (*Terminal) Settings() string                    { return "" }
func (*Terminal) TakeForeground() error               { return errTerminal }
func (*Terminal) HangUp() error                       { return errTerminal }
func (*Terminal) Foreground() (int, error)            { return 0, errTerminal }
func (*Terminal) Unread() (int, error)                { return 0, errTerminal }
func (*Terminal) TakesItself([]byte) bool             { return false }
func (*Terminal) KillsLine([]byte) bool               { return false }
func (*Terminal) Discards() int64                     { return 0 }
func (*Terminal) DiscardInput() error                 { return errTerminal }
func (*Terminal) Device() (device, filesystem uint64) { return 0, 0 }
func (*Terminal) Editing() bool                       { return false }

// ReadAvailable reads the output that the pipe f has into buffer, and waits for the first byte. The error is
// io.EOF when no writer is left (ERROR_BROKEN_PIPE).
func ReadAvailable(f *os.File, _ *Terminal, buffer []byte, _ *atomic.Bool) (n int, err error) {
	return f.Read(buffer)
}

func (t *Terminal) Write([]byte) error { return errors.ErrUnsupported }

// outputPipe returns a pipe for the output of the command.
func outputPipe() (r, w *os.File, err error) { return os.Pipe() }

func try() error { return errors.ErrUnsupported }
