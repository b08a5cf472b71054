package runner

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"devtools/ledger"
	"devtools/runner/proc"
)

// errTerminal says why there is none.
var errTerminal = fmt.Errorf("no terminal on Windows: --no-pty runs the command with pipes: %w", errors.ErrUnsupported)

// A terminal is what no session has here.
type terminal struct {
	master *os.File
}

func (*terminal) resize(ledger.Size) error  { return errTerminal }
func (*terminal) modes() (lineModes, error) { return lineModes{}, errTerminal }
func (*terminal) settings() string          { return "" }
func (*terminal) takeForeground() error     { return errTerminal }
func (*terminal) hangUp() error             { return errTerminal }
func (*terminal) foreground() (int, error)  { return 0, errTerminal }
func (*terminal) unread() (int, error)      { return 0, errTerminal }
func (*terminal) printed() bool             { return false }
func (*terminal) evidence() proc.Terminal   { return proc.Terminal{} }
func (*terminal) editing() bool             { return false }

// readAvailable reads what the pipe f has into buffer, waiting for the first byte. The error is io.EOF
// when no writer is left (ERROR_BROKEN_PIPE).
func readAvailable(f *os.File, buffer []byte, _ *atomic.Bool) (n int, err error) {
	return f.Read(buffer)
}

func (t *terminal) write([]byte) error { return errors.ErrUnsupported }

// outputPipe returns a pipe for the output of the command.
func outputPipe() (r, w *os.File, err error) { return os.Pipe() }
