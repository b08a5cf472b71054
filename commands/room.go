package commands

import (
	"slices"

	"devtools/runner/proc"
)

// The open files that a command needs. With a limit of 19, a holder could not kill its session. A command opens 5 files at most
// besides the 3 that are open before: with a limit of 7, Go's runtime ended it.
const (
	holderFiles = 20
	freeFiles   = 5
)

// sessionProcesses is how many processes and threads a user must be allowed for a session. With a limit of 28, some of the
// threads that caller and holder keep (proc.KeepThreads) could not be made in 2 of 10 runs.
const sessionProcesses = 32

// frugal lists the commands that work under any limit: they open no file of a session. "" is devtools alone, as for its version.
var frugal = []string{"", "help", "completion", "schema"}

// roomFor returns an error if the limits allow the command, or the holder that it starts, too little.
func roomFor(command string, starts bool) error {
	if slices.Contains(frugal, command) {
		return nil
	}
	if !starts && command != "watch" && command != "restart" {
		return proc.RoomForFiles(0, freeFiles)
	}
	err := proc.RoomForFiles(holderFiles, freeFiles)
	if err == nil {
		err = proc.RoomForProcesses(sessionProcesses)
	}
	if err != nil {
		return &startError{err}
	}
	return nil
}
