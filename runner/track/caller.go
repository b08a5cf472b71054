package track

import (
	"os"

	"devtools/ledger"
)

// Caller returns who called this process.
func Caller() ledger.Caller { return ledger.Caller{PID: os.Getppid(), Session: session()} }
