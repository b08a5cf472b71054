package ledger

import (
	"time"
	"unicode/utf8"

	"devtools/ledger/codec"
)

// The kinds of events.
const (
	EventStarted   = "started"   // the main process of a session started
	EventSpawned   = "spawned"   // another process of its tree started
	EventReady     = "ready"     // a condition of --ready is true
	EventAsks      = "asks"      // the program of a session waits for the answer to a question
	EventAnswered  = "answered"  // something was typed since, and the program no longer waits for that answer
	EventCompleted = "completed" // a process exited
	EventKilled    = "killed"    // a signal ended a process, or its holder was killed
	EventOrphaned  = "orphaned"  // a process is alive and its holder is not
	EventRan       = "ran"       // a command of the session's shell or REPL is over
	EventFailed    = "failed"    // the holder of a session could not start what Name says: restart or on-exit
	EventRenamed   = "renamed"   // a session got another name
	EventWatched   = "watched"   // a watch did what Name says, see devtools watch --json

	Following = "following" // no event: the events behind this position follow
)

// What ran a command, in the event of its end.
const (
	ByRun    = "run"      // devtools run, which waited for it
	ByLaunch = "launch"   // it ran in the background: launch, run --wait background or watch
	ByRunIn  = "run --in" // the shell or REPL of a session, for devtools run --in
	ByTyped  = "typed"    // the shell of a session, at whose prompt it was typed
)

// An Event is one line of the log, process-log.jsonl.
type Event struct {
	Version      int    `json:"v"`                     // version of the line's form
	Event        string `json:"event"`                 // kind of the event
	PID          int    `json:"pid"`                   // the process
	ParentPID    int    `json:"parentPid,omitzero"`    // its parent
	Name         string `json:"name,omitzero"`         // name of its program; of ran: of the shell or REPL; of watched: what the watch did, as event in watch --json; of failed: restart or on-exit; of asks and answered: kind of the question, as in waiting
	Cmd          string `json:"cmd,omitzero"`          // its command line; of ran: the line that the shell or REPL got
	Terminal     string `json:"terminal"`              // name of the session
	TS           Time   `json:"ts"`                    // time of the event
	SessionID    string `json:"sessionId"`             // id of the session
	Start        uint64 `json:"start,omitzero"`        // start of the process, in ticks of the kernel
	Inode        uint64 `json:"inode,omitzero"`        // inode of its pidfd, where the kernel has one
	Boot         string `json:"boot,omitzero"`         // id of the boot
	Cwd          string `json:"cwd,omitzero"`          // working directory at the start
	ExitCode     *int   `json:"exitCode,omitempty"`    // exit code of the process; 128+n when signal n ended it
	Signal       string `json:"signal,omitzero"`       // signal that ended the process, such as SIGTERM
	Reason       string `json:"reason,omitzero"`       // why the process ended, or why it is not known how; of watched and failed: why it happened; of ready: the condition; of asks: the question
	PreviousName string `json:"previousName,omitzero"` // of renamed: name of the session before
	By           string `json:"by,omitzero"`           // of the end of a command: what ran it: run, launch, run --in or typed
	DurationMs   *int64 `json:"durationMs,omitempty"`  // of the end of a command: time from its start to its end
	Dropped      int    `json:"dropped,omitzero"`      // number of earlier events left out because they were too many
}

// A Time is written in RFC 3339 format, in UTC, with milliseconds.
type Time struct{ time.Time }

// MarshalJSON writes t as "2026-01-15T10:30:00.123Z".
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// Limits for a line of the log, in bytes. devtools writes no line longer than maxLine. A reader skips a longer line,
// because otherwise the line could demand any amount of memory. The texts of an event are cut to maxCommand and
// maxText. So every line stays well below maxLine, even if each byte takes six bytes in JSON.
const (
	maxLine    = 1 << 20
	maxCommand = 64 << 10
	maxText    = 8 << 10
)

// encodeEvents returns the events as lines of the log.
func encodeEvents(events []Event) (lines []byte, err error) {
	for _, e := range events {
		e.Version = version
		e.Cmd = clip(e.Cmd, maxCommand)
		for _, text := range []*string{&e.Name, &e.Terminal, &e.SessionID, &e.Boot, &e.Cwd, &e.Signal, &e.Reason, &e.PreviousName, &e.By} {
			*text = clip(*text, maxText)
		}
		if lines, err = appendLine(lines, e); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// appendLine adds v as a line of JSON.
func appendLine(lines []byte, v any) ([]byte, error) {
	line, err := codec.Marshal(v)
	return append(append(lines, line...), '\n'), err
}

// clip shortens text to at most the given number of bytes, without cutting a character in two.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
