package commands

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger/transcript"
	"devtools/runner/watch"
	"devtools/runner/wire"
	"devtools/stack/files"
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

// mostEvents is the maximum number of events that wait for a slow reader. The watch itself must not wait for the
// reader.
const mostEvents = 256

// newWatchView returns a view. The caller must close it.
func newWatchView(cmd *cli.Command, c watch.Config) *watchView {
	v := &watchView{
		cmd: cmd, clear: cmd.Bool("clear") && isTerminal(cmd.Root().Writer), builds: c.Build != nil, ready: len(c.Ready) > 0, spinner: newSpinner(nil),
	}
	switch {
	case cmd.Bool("json"):
		v.events, v.printed = make(chan watch.Event, mostEvents), make(chan struct{})
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
		_ = encode(v.cmd.Root().Writer, e) // the watch continues even if the reader is gone
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
		v.spinner.begin("ending " + e.Session)
	case watch.EventSpawn:
		if v.ready {
			v.spinner.begin("waiting until " + e.Session + " is ready")
		}
	}
}

// eventText describes an event in one line. It returns "" if the event is not interesting for people.
func eventText(e watch.Event) string {
	took := time.Duration(e.Ms) * time.Millisecond
	switch e.Event {
	case watch.EventScan:
		return fmt.Sprintf("watching %d %s", e.Files, plural(e.Files, "file", "files"))
	case watch.EventChange:
		for _, reason := range []files.Reason{files.Added, files.Deleted} {
			if !slices.ContainsFunc(e.Paths, func(p watch.Path) bool { return p.Reason != string(reason) }) {
				return changedText(e, string(reason))
			}
		}
		return changedText(e, "changed")
	case watch.EventStale:
		return changedText(e, "changed during the build, which runs again")
	case watch.EventGuard:
		what := "left out"
		if e.DelayMs > 0 {
			what = "followed only after " + brief(time.Duration(e.DelayMs)*time.Millisecond)
		}
		return changedText(e, what+": "+e.Why)
	case watch.EventBuilt:
		switch {
		case e.Why != "":
			return "the build was ended after " + brief(took) + ": " + e.Why
		case *e.Code != 0:
			return fmt.Sprintf("the build failed with exit code %d after %s", *e.Code, brief(took))
		}
		return "built in " + brief(took)
	case watch.EventSpawn:
		return fmt.Sprintf("started %s (pid %d)", e.Session, e.PID)
	case watch.EventReady:
		return fmt.Sprintf("%s is ready after %s%s", e.Session, brief(took), on(e.Ports))
	case watch.EventNotReady:
		return fmt.Sprintf("%s is not ready: %s", e.Session, e.Why)
	case watch.EventStop:
		if e.Forced {
			return fmt.Sprintf("%s did not end by %s and was killed after %s", e.Session, e.Signal, brief(took))
		}
		return fmt.Sprintf("stopped %s in %s", e.Session, brief(took))
	case watch.EventExit:
		text := fmt.Sprintf("%s is gone after %s", e.Session, brief(took))
		switch {
		case e.Signal != "":
			text = fmt.Sprintf("%s was ended by %s after %s", e.Session, e.Signal, brief(took))
		case e.Code != nil:
			text = fmt.Sprintf("%s ended with exit code %d after %s", e.Session, *e.Code, brief(took))
		}
		if e.Why != "" {
			text += ": " + e.Why
		}
		return text
	case watch.EventCrash:
		return fmt.Sprintf("%s is started again in %s, or when something changes", e.Session, brief(time.Duration(e.DelayMs)*time.Millisecond))
	case watch.EventSignal:
		return fmt.Sprintf("sent %s to %s", e.Signal, e.Session)
	case watch.EventTakeover:
		text := fmt.Sprintf("took over %s (pid %d)%s", e.Session, e.PID, on(e.Ports))
		if e.Why != "" {
			text += ": " + e.Why
		}
		return text
	case watch.EventPort, watch.EventDegraded, watch.EventFailed:
		return e.Why
	case watch.EventEnd:
		if e.Session != "" {
			return e.Session + " goes on"
		}
	}
	return ""
}

// mostChanged is the maximum number of paths in one line.
const mostChanged = 3

func changedText(e watch.Event, what string) string {
	var names []string
	for _, p := range e.Paths[:min(len(e.Paths), mostChanged)] {
		name := p.Path
		if p.Reason == string(files.Deleted) && what != p.Reason {
			name += " (deleted)"
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if more := e.Changed - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + " " + what
}

func on(ports []int) string {
	if len(ports) == 0 {
		return ""
	}
	return " on port " + strings.ReplaceAll(portList(ports), ",", ", ")
}

// brief formats how long something took.
func brief(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// watchKeys carries out what a person types: r and q, each on a line. If standard input is not a terminal, watchKeys
// reads it only with --stdin-close-exits. With that flag, the end of standard input ends the watch.
func watchKeys(cmd *cli.Command, redo chan<- struct{}, end func(quit bool)) {
	stdin, ok := cmd.Root().Reader.(*os.File)
	closes := cmd.Bool("stdin-close-exits")
	if !ok || !isTerminal(stdin) && !closes {
		return
	}
	in := io.Reader(stdin)
	if isTerminal(stdin) {
		in = foregroundReader{stdin}
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		switch strings.TrimSpace(lines.Text()) {
		case "r":
			select {
			case redo <- struct{}{}:
			default: // a restart is already requested
			}
		case "q":
			end(true)
			return
		}
	}
	if closes {
		end(false)
	}
}
