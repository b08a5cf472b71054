package commands

import "os"

// windowSignals returns no signal: none tells of another size of the terminal.
func windowSignals() []os.Signal { return nil }

// stopSelf does nothing: there is no job control.
func stopSelf() {}
