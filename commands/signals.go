package commands

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// endSignals returns the signals that end a call, and these others, without those that the caller ignores on purpose: nohup(1)
// makes it ignore SIGHUP, and & in a script SIGINT. SIGTERM is always among them: the runtime of Go catches it before this program
// could ask whether it was ignored (os/signal).
func endSignals(others ...os.Signal) []os.Signal {
	return append(slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGHUP}, signal.Ignored), append(others, syscall.SIGTERM)...)
}
