package runner

import (
	"errors"
	"fmt"
	"os"
)

// ErrNoTerminals says why no person's terminal can be in front of a session.
var ErrNoTerminals = fmt.Errorf("no terminal on Windows: --no-pty runs the command with pipes: %w", errors.ErrUnsupported)

// A view is a person's terminal in front of a session.
type view struct{}

func openView(*Client, *os.File) (*view, error) { return nil, ErrNoTerminals }

func (*view) close() {}

func (*view) quitPressed() bool { return false }
