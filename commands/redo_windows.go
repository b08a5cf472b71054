package commands

import "syscall"

// redoSignal is none here: no signal makes a watch start its program again.
const redoSignal = syscall.Signal(0)
