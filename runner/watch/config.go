package watch

import (
	"time"

	"devtools/ledger"
	"devtools/runner/condition"
	"devtools/runner/wire"
)

// What is done about a change while the program runs.
const (
	BusyRestart = "restart" // replace it
	BusyQueue   = "queue"   // wait for its end, and run it again
	BusyIgnore  = "ignore"
	BusySignal  = "signal" // send it a signal
)

// A Config says what is watched and what is done about it.
type Config struct {
	Dir   ledger.Dir
	ID    string // names the watch: of two of one name the second waits for the first
	Setup string // what was asked for; a watch takes over only what one with the same setup has started

	Program wire.Spec  // Command may have {} in it: the paths that have changed
	Build   *wire.Spec // run before the program; nil builds nothing
	Server  bool       // the program goes on until it is ended: when it fails by itself it is started again

	Ready        []condition.Condition // with any of these true the program is ready
	ReadyTimeout time.Duration

	Sources  Sources
	Debounce time.Duration // so long nothing may change before the sources are looked at

	OnBusy     string // what is done about a change while the program runs
	BusySignal string // for BusySignal: the signal, as TERM
	Signal     string // that ends the program
	KillAfter  time.Duration

	BuildFailed string // what becomes of the old program when the build fails: BuildKeep or BuildStop

	Postpone    bool // do nothing before the first change
	Once        bool // end when the program is ready, or has ended if it is no server
	ExitOnError bool // end when the build or the program fails

	Show  func() (sink wire.Sink, done func()) // takes what the build or the program prints; nil takes nothing
	Tell  func(Event)                          // is told what happens, one event at a time
	Redo  <-chan struct{}                      // a value has all be done again, also in the middle of a build
	Hurry <-chan struct{}                      // is closed when the end of the watch is to wait for nothing: the program is killed
}

// What becomes of the old program when the build fails.
const (
	BuildKeep = "keep-old"
	BuildStop = "stop"
)
