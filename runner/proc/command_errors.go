package proc

import "errors"

// Errors that callers branch on.
var (
	ErrNotFound      = errors.New("command not found")
	ErrNotExecutable = errors.New("not executable")
	ErrNoProcess     = errors.New("no such process of ours")
)
