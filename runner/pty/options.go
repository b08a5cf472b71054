package pty

import "devtools/ledger"

// Options say what program is started, and in what.
type Options struct {
	Path       string      // of the executable, absolute
	Command    []string    // the name that it is started by, and its arguments
	Env        []string    // whole
	Cwd        string      // absolute
	Size       ledger.Size // of the terminal
	NoTerminal bool        // pipes in its place, one for standard output and one for standard error
}
