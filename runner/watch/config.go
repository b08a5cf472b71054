package watch

import (
	"time"

	"devtools/ledger"
	"devtools/runner/condition"
	"devtools/runner/wire"
)

// What the watch does about a change while the program runs.
const (
	BusyRestart = "restart" // replace the program
	BusyQueue   = "queue"   // wait until the program ends, and run it again
	BusyIgnore  = "ignore"
	BusySignal  = "signal" // send a signal to the program
)

// A Config says what to watch and what to do about changes.
type Config struct {
	Dir   ledger.Dir
	ID    string // identifies the watch; a second watch with the same ID waits for the first
	Setup string // the request; a watch takes over only from a watch with the same setup

	Program wire.Spec  // the argument {} in Command stands for the changed paths
	Build   *wire.Spec // runs before the program; nil means no build
	Server  bool       // the program runs until it is ended; after a failure it is started again

	// Mask masks the secrets of the program and the build in the texts of events; nil: there are none.
	Mask func(text string) string

	Ready        []condition.Condition // the program is ready when one of these is true
	ReadyTimeout time.Duration

	Sources  Sources
	Debounce time.Duration // time without a change before the sources are scanned

	OnBusy     string // BusyRestart, BusyQueue, BusyIgnore or BusySignal
	BusySignal string // signal for BusySignal, such as TERM
	Signal     string // signal that ends the program
	KillAfter  time.Duration

	BuildFailed string // BuildKeep or BuildStop

	Hint        string // hint of the first event
	Postpone    bool   // do nothing before the first change
	Once        bool   // end when the program is ready, or, without Server, when it has ended
	ExitOnError bool   // end when the build or the program fails

	Show  func() (sink wire.Sink, done func()) // receives the output of the build or the program; nil discards it
	Tell  func(Event)                          // receives events, one at a time
	Redo  <-chan struct{}                      // a value means: build and start again, even in the middle of a build
	Hurry <-chan struct{}                      // closed when the end of the watch must not wait: the program is killed
}

// What happens to the old program when the build fails.
const (
	BuildKeep = "keep-old"
	BuildStop = "stop"
)
