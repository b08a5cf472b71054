package pty

import "devtools/ledger"

// Options describe the program to start, and its surroundings.
type Options struct {
	Path       string      // absolute path of the executable
	Command    []string    // name that the program is started by, then its arguments
	Env        []string    // complete environment
	Cwd        string      // absolute
	Size       ledger.Size // size of the terminal
	NoTerminal bool        // use pipes instead, one for standard output and one for standard error
	InputPipe  bool        // without a terminal: standard input is a pipe that Program.Input writes into
}
