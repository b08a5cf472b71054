// Package watch keeps a program in step with its sources. It builds when they change. When the build has succeeded, it
// ends the old program, waits until its ports are free, and starts the new one. It also takes over a program that an
// earlier watch has left running.
//
// Scans of the sources decide what has changed. File system events only say when to scan.
package watch

import (
	"time"

	"devtools/ledger"
)

// An Event is something that happened, in the form of watch --json. The member event says which other members there
// are.
type Event struct {
	Event string      `json:"event"`         // kind of the event
	Seq   int64       `json:"seq"`           // number, from 1
	TS    ledger.Time `json:"ts"`            // time of the event
	AtMs  float64     `json:"atMs"`          // time since the watch began, by a clock that is never set, with a fraction
	Lost  int         `json:"lost,omitzero"` // number of earlier events that were dropped because the reader was too slow

	Paths      []Path `json:"paths,omitzero"`      // change, stale, loop_guard: at most 100 of the changed paths
	Count      int    `json:"count,omitzero"`      // change, stale, loop_guard: number of all changed paths
	Files      int    `json:"files,omitzero"`      // scan: number of watched files
	Backend    string `json:"backend,omitzero"`    // scan: how changes are noticed: events or poll
	DurationMs int64  `json:"durationMs,omitzero"` // scan, build_end, ready, stop, exit: how long it took
	Code       *int   `json:"exitCode,omitempty"`  // build_end, exit: exit code of the build or the program
	Signal     string `json:"signal,omitzero"`     // exit, ending, stop, signal: such as SIGTERM
	Output     string `json:"output,omitzero"`     // build_end: the last lines of a failed build

	Name        string   `json:"name,omitzero"`         // name of the session
	SessionID   string   `json:"sessionId,omitzero"`    // id of the session
	PID         int      `json:"pid,omitzero"`          // main process of the session; port_taken: process that has the port
	CommandLine string   `json:"commandLine,omitzero"`  // start, build_start, spawn: the command as text
	Ports       []int    `json:"portNumbers,omitzero"`  // ready, takeover: ports on which the program listens
	Port        int      `json:"port,omitzero"`         // port_taken: the port
	Forced      bool     `json:"forced,omitzero"`       // stop: ended by SIGKILL
	Reason      string   `json:"reason,omitzero"`       // why it happened, in words
	WithheldEnv []string `json:"withheldEnv,omitempty"` // start, with --profile agent: variables of the caller that seem secret and were not passed to the command
	Hint        string   `json:"hint,omitzero"`         // what to do, what watch does next, or what to know of the command
	DelayMs     int64    `json:"delayMs,omitzero"`      // crash, loop_guard: time until the restart, or until the change is followed
}

// A Path is a changed file, relative to the working directory, and the reason why it counts as changed.
type Path struct {
	Path string `json:"path"` // path of the file

	// why it counts as changed: added, deleted, kind, content, mode, touched, ignored, mtime, ctime or folder; mtime,
	// ctime and folder are in the answer about changes since a time
	Reason string `json:"reason"`
	Bytes  []byte `json:"pathBase64,omitempty"` // bytes of the path if it is not valid UTF-8
}

// The kinds of events.
const (
	EventStart    = "start"       // the watch has begun
	EventScan     = "scan"        // all sources were scanned for the first time
	EventChange   = "change"      // sources have changed
	EventBuild    = "build_start" // the build has begun
	EventBuilt    = "build_end"   // the build has ended, successfully or not
	EventStale    = "stale"       // sources changed during the build: it runs again
	EventGuard    = "loop_guard"  // files change with each build or start: they are followed later, or left out from now on
	EventEnding   = "ending"      // the old program is told to end
	EventStop     = "stop"        // the old program and all that it started are gone, and its ports are free
	EventPort     = "port_taken"  // an unrelated process has a port: the program is started when it is free
	EventSpawn    = "spawn"       // the program was started
	EventReady    = "ready"       // the program is ready
	EventNotReady = "not_ready"   // the program was not ready in time; it goes on
	EventExit     = "exit"        // the program has ended by itself
	EventCrash    = "crash"       // the program has failed and is started again after a delay
	EventSignal   = "signal"      // the program was told of the change
	EventTakeover = "takeover"    // the watch has taken over what an earlier watch started
	EventDegraded = "degraded"    // something does not work as well as it could
	EventFailed   = "failed"      // a necessary step failed; the watch waits for the next change
	EventEnd      = "end"         // the watch ends
)

// mostPaths is how many paths one event has at most.
const mostPaths = 100

// teller numbers events and passes them on.
type teller struct {
	tell  func(Event)
	keep  func(Event)
	mask  func(text string) string // nil: nothing is masked
	since time.Time
	seq   int64
}

func (t *teller) say(e Event) {
	now := time.Now()
	t.seq++
	e.Seq, e.TS, e.AtMs = t.seq, ledger.Time{Time: now}, float64(now.Sub(t.since).Round(time.Microsecond))/float64(time.Millisecond)
	if t.mask != nil {
		for _, text := range []*string{&e.CommandLine, &e.Reason, &e.Hint, &e.Output} {
			*text = t.mask(*text)
		}
	}
	e.Count = len(e.Paths)
	e.Paths = e.Paths[:min(len(e.Paths), mostPaths)]
	t.tell(e)
	t.keep(e)
}
