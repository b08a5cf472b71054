package pty

import (
	"os"
	"syscall"

	"devtools/ledger"
	"devtools/runner/fork"
)

// Options describe the program to start, and its surroundings.
type Options struct {
	Path       string      // absolute path of the executable
	Command    []string    // name that the program is started by, then its arguments
	Env        []string    // complete environment
	Cwd        string      // absolute
	Size       ledger.Size // size of the terminal
	NoTerminal bool        // use pipes instead, one for standard output and one for standard error
	Files      []*os.File  // more files for the program, from descriptor 3 on; Start closes them
	InputPipe  bool        // without a terminal: standard input is a pipe that Program.Input writes into

	fork.Settings // with Isolate they do not count

	// Isolate returns what starts the program in place of fork.Start, and what is to be called afterwards. device is that of its
	// terminal, or "". nil: the program is not isolated.
	Isolate func(device string) (fork ForkFunc, done func(), err error)

	fork ForkFunc
}

// A ForkFunc starts a program as syscall.ForkExec does. Its error is a syscall.Errno if that is about the program, and another one
// if the program was not tried.
type ForkFunc func(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error)
