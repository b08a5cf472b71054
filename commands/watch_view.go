package commands

import (
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger/transcript"
	"devtools/runner/watch"
	"devtools/runner/wire"
)

// A watchView reports what happens. With --json it writes JSON Lines to standard output, otherwise short lines to
// standard error.
type watchView struct {
	cmd     *cli.Command
	clear   bool
	builds  bool
	ready   bool // the watch waits until the program is ready
	spinner *spinner

	events  chan watch.Event // events to print with --json, otherwise nil
	lost    int              // number of events that had no room
	printed chan struct{}    // closed when all events are printed
}

// maxEvents is the maximum number of events that wait for a slow reader. The watch itself must not wait for the
// reader.
const maxEvents = 256

// newWatchView returns a view. The caller must close it.
func newWatchView(cmd *cli.Command, c watch.Config) *watchView {
	v := &watchView{
		cmd: cmd, clear: cmd.Bool("clear") && isTerminal(cmd.Root().Writer), builds: c.Build != nil, ready: len(c.Ready) > 0, spinner: newSpinner(nil),
	}
	switch {
	case cmd.Bool("json"):
		v.events, v.printed = make(chan watch.Event, maxEvents), make(chan struct{})
		go v.print()
	case !cmd.Bool("quiet"):
		v.spinner = newSpinner(cmd.Root().ErrWriter)
	}
	return v
}

// print prints the events as they come.
func (v *watchView) print() {
	defer close(v.printed)
	for e := range v.events {
		_ = encodeFor(v.cmd, e) // the watch continues even if the reader is gone
	}
}

// lastPrint is the time limit for the reader to take the last events.
const lastPrint = time.Second

// close ends the view when everything is printed or lastPrint is over.
func (v *watchView) close() {
	v.spinner.end()
	if v.events == nil {
		return
	}
	close(v.events)
	select {
	case <-v.printed:
	case <-time.After(lastPrint):
	}
}

// show returns a function that prints the output of the build and the program.
func (v *watchView) show(spec wire.Spec) func() (wire.Sink, func()) {
	return func() (wire.Sink, func()) {
		person := isTerminal(v.cmd.Root().Writer)
		out := newRunOutput(v.cmd, runRequest{spec: spec, raw: person, viewed: person})
		sink := out.sink()
		write := sink.Write
		sink.Write = func(p []byte, kind transcript.Kind, offset int64) error {
			v.spinner.end()
			return write(p, kind, offset)
		}
		return sink, func() { // errors do not matter: the log has all output
			_ = out.close(v.cmd, "")
			if out.view != nil {
				_ = out.view.leave()
			}
		}
	}
}

func (v *watchView) tell(e watch.Event) {
	if v.events != nil {
		e.Lost = v.lost
		select {
		case v.events <- e:
			v.lost = 0
		default:
			v.lost++
		}
		return
	}
	v.spinner.end()
	if v.clear && (e.Event == watch.EventBuild || e.Event == watch.EventSpawn && !v.builds) {
		_, _ = io.WriteString(v.cmd.Root().Writer, "\x1b[2J\x1b[3J\x1b[H")
	}
	if text := eventText(e); text != "" {
		note(v.cmd, "%s", text)
	}
	switch e.Event {
	case watch.EventGuard, watch.EventFailed, watch.EventPort, watch.EventEnd:
		if e.Hint != "" && !v.cmd.Bool("quiet") {
			hint(v.cmd.Root().ErrWriter, e.Hint)
		}
	case watch.EventBuild:
		v.spinner.begin("building")
	case watch.EventEnding:
		v.spinner.begin("ending " + e.Name)
	case watch.EventSpawn:
		if v.ready {
			v.spinner.begin("waiting until " + e.Name + " is ready")
		}
	}
}
