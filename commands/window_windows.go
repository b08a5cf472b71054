package commands

import "os"

// windowSignals returns no signals, because none reports a new size of the terminal.
func windowSignals() []os.Signal { return nil }

// stopSelf does nothing, because there is no job control.
func stopSelf() {}
