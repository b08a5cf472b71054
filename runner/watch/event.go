// Package watch keeps a program in step with its sources: it builds when they change, replaces the program when the
// build has succeeded and the old one is gone with its ports, and takes over what an earlier watch has left running.
// What has changed is told by scans of the sources; events of the file system only say when to scan.
package watch

import (
	"time"

	"devtools/ledger"
)

// An Event is something that happened, as watch --json prints it: Event says which of the members it has.
type Event struct {
	Event string      `json:"event"`
	Seq   int64       `json:"seq"` // counts from 1
	TS    ledger.Time `json:"ts"`
	AtMs  int64       `json:"atMs"`          // since the watch began, by a clock that is never set
	Lost  int         `json:"lost,omitzero"` // how many before this one were not told, as the reader was too slow

	Paths   []Path `json:"paths,omitempty"`    // change, stale, loop_guard: at most 100 of them
	Changed int    `json:"changed,omitzero"`   // how many there are
	Files   int    `json:"files,omitzero"`     // scan: how many are watched
	Backend string `json:"backend,omitzero"`   // scan: events or poll
	Ms      int64  `json:"ms,omitzero"`        // how long it took, in whole milliseconds
	Code    *int   `json:"exitCode,omitempty"` // build_end, exit
	Signal  string `json:"signal,omitzero"`    // exit, stop, signal
	Output  string `json:"output,omitzero"`    // build_end: the last lines of one that failed

	Session   string `json:"session,omitzero"` // its name
	SessionID string `json:"sessionId,omitzero"`
	PID       int    `json:"pid,omitzero"`
	Command   string `json:"command,omitzero"`
	Ports     []int  `json:"ports,omitempty"`
	Port      int    `json:"port,omitzero"`   // port_taken
	Forced    bool   `json:"forced,omitzero"` // stop: by SIGKILL
	Why       string `json:"why,omitzero"`
	Hint      string `json:"hint,omitzero"`
	DelayMs   int64  `json:"delayMs,omitzero"` // crash, loop_guard: until it is started again, or the change followed
}

// A Path is a file that has changed, from the working directory, and in what way.
type Path struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Bytes  []byte `json:"pathBase64,omitempty"` // of the path, where it is not UTF-8
}

// The events.
const (
	EventStart    = "start"       // the watch has begun
	EventScan     = "scan"        // all sources were looked at for the first time
	EventChange   = "change"      // sources have changed
	EventBuild    = "build_start" // the build has begun
	EventBuilt    = "build_end"   // and ended, well or not
	EventStale    = "stale"       // sources changed while the build ran: it runs again
	EventGuard    = "loop_guard"  // files change with each build or start: they are followed later, or left out from now on
	EventEnding   = "ending"      // the old program is told to end
	EventStop     = "stop"        // the old program is gone, with all that it started, and its ports are free
	EventPort     = "port_taken"  // by a stranger: the program is started when it is free
	EventSpawn    = "spawn"       // the program was started
	EventReady    = "ready"       // it is
	EventNotReady = "not_ready"   // its time for that is over; it goes on
	EventExit     = "exit"        // the program has ended by itself
	EventCrash    = "crash"       // and is started again after a while
	EventSignal   = "signal"      // it was told of the change
	EventTakeover = "takeover"    // what an earlier watch has started goes on
	EventDegraded = "degraded"    // something does not work as well as it might
	EventFailed   = "failed"      // something that had to be done could not be; the next change is waited for
	EventEnd      = "end"         // the watch ends
)

// mostPaths is how many paths one event tells.
const mostPaths = 100

// teller numbers events and hands them on.
type teller struct {
	tell  func(Event)
	since time.Time
	seq   int64
}

func (t *teller) say(e Event) {
	now := time.Now()
	t.seq++
	e.Seq, e.TS, e.AtMs = t.seq, ledger.Time{Time: now}, now.Sub(t.since).Milliseconds()
	e.Changed = len(e.Paths)
	e.Paths = e.Paths[:min(len(e.Paths), mostPaths)]
	t.tell(e)
}
