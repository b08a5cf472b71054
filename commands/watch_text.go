package commands

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"devtools/runner/watch"
	"devtools/stack/files"
)

// eventText describes an event in one line. It returns "" if the event is not interesting for people.
func eventText(e watch.Event) string {
	switch e.Event {
	case watch.EventScan:
		return fmt.Sprintf("watching %d %s", e.Files, plural(e.Files, "file", "files"))
	case watch.EventChange:
		return changeText(e)
	case watch.EventStale:
		return changedText(e, "changed during the build: building again")
	case watch.EventGuard:
		return guardText(e)
	case watch.EventBuilt:
		return builtText(e)
	case watch.EventSpawn:
		return fmt.Sprintf("started %s (pid %d)", e.Name, e.PID)
	case watch.EventReady:
		return fmt.Sprintf("%s is ready after %s%s", e.Name, msText(e.DurationMs), onPorts(e.Ports))
	case watch.EventNotReady:
		return fmt.Sprintf("%s is not ready: %s", e.Name, e.Reason)
	case watch.EventStop:
		return stopText(e)
	case watch.EventExit:
		return exitText(e)
	case watch.EventCrash:
		return fmt.Sprintf("%s restarts in %s, or when a source changes", e.Name, msText(e.DelayMs))
	case watch.EventSignal:
		return fmt.Sprintf("sent %s to %s", e.Signal, e.Name)
	case watch.EventTakeover:
		return takeoverText(e)
	case watch.EventPort, watch.EventDegraded, watch.EventFailed:
		return e.Reason
	case watch.EventEnd:
		return endText(e)
	}
	return ""
}

func endText(e watch.Event) string {
	if e.Name == "" {
		return ""
	}
	return e.Name + " continues to run"
}

// changeText describes a change. Additions alone, and deletions alone, have words of their own.
func changeText(e watch.Event) string {
	for _, reason := range []files.Reason{files.Added, files.Deleted} {
		if !slices.ContainsFunc(e.Paths, func(p watch.Path) bool { return p.Reason != string(reason) }) {
			return changedText(e, string(reason))
		}
	}
	return changedText(e, "changed")
}

func guardText(e watch.Event) string {
	what := "ignored from now on"
	if e.DelayMs > 0 {
		what = "delayed by " + msText(e.DelayMs)
	}
	return changedText(e, what+": "+e.Reason)
}

func builtText(e watch.Event) string {
	switch {
	case e.Reason != "":
		return "the build was stopped after " + msText(e.DurationMs) + ": " + e.Reason
	case *e.Code != 0:
		return fmt.Sprintf("the build failed with exit code %d after %s", *e.Code, msText(e.DurationMs))
	}
	return "built in " + msText(e.DurationMs)
}

func stopText(e watch.Event) string {
	if e.Forced {
		return fmt.Sprintf("%s did not end on %s and was killed after %s", e.Name, e.Signal, msText(e.DurationMs))
	}
	return fmt.Sprintf("stopped %s in %s", e.Name, msText(e.DurationMs))
}

func exitText(e watch.Event) string {
	text := fmt.Sprintf("%s has disappeared after %s", e.Name, msText(e.DurationMs))
	switch {
	case e.Signal != "":
		text = fmt.Sprintf("%s was ended by %s after %s", e.Name, e.Signal, msText(e.DurationMs))
	case e.Code != nil:
		text = fmt.Sprintf("%s ended with exit code %d after %s", e.Name, *e.Code, msText(e.DurationMs))
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

func takeoverText(e watch.Event) string {
	text := fmt.Sprintf("took over %s (pid %d)%s", e.Name, e.PID, onPorts(e.Ports))
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// maxChangedPaths is the maximum number of paths in one line.
const maxChangedPaths = 3

func changedText(e watch.Event, what string) string {
	var names []string
	for _, p := range e.Paths[:min(len(e.Paths), maxChangedPaths)] {
		name := p.Path
		if p.Reason == string(files.Deleted) && what != p.Reason {
			name += " (deleted)"
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if more := e.Count - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + " " + what
}

func onPorts(ports []int) string {
	if len(ports) == 0 {
		return ""
	}
	return " on port " + strings.ReplaceAll(portList(ports), ",", ", ")
}

// msText formats a number of milliseconds as a time.
func msText(ms int64) string { return roundDuration(time.Duration(ms) * time.Millisecond) }

// roundDuration formats how long something took.
func roundDuration(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
