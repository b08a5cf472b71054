package commands

import "devtools/runner/proc"

// The open files that a command needs. With a limit of 22, a holder that was to kill its session did not answer within 10
// seconds. A command that starts one opens 9 files at most, of which 3 are open before, and the others open 5 at most.
const (
	holderFiles = 32
	freeFiles   = 8
)

// sessionProcesses is how many processes and threads a user must be allowed for a session. With a limit of 16, some of the 8
// threads of the caller and 8 of the holder could not be made.
const sessionProcesses = 24

// roomFor returns an error if the limits allow the command, or the holder that it starts, too little.
func roomFor(command string, starts bool) error {
	if !starts && command != "watch" {
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
