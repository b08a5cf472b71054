package commands

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// endSignals returns the signals that end a call, and the others. It leaves out SIGINT and SIGHUP if the caller ignores them: nohup(1)
// ignores SIGHUP, & in a script SIGINT. SIGTERM is always among them: the runtime of Go catches it before this program could ask
// whether it was ignored (os/signal).
func endSignals(others ...os.Signal) []os.Signal {
	return append(slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGHUP}, signal.Ignored), append(others, syscall.SIGTERM)...)
}
