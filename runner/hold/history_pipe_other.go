//go:build !linux

package hold

// newHistoryPipe returns nil: no file system shows the pipe to the shell.
func newHistoryPipe() (*historyPipe, error) { return nil, nil }

func (*historyPipe) drain() {}
