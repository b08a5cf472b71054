package ledger

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"
)

// The kinds of events.
const (
	EventStarted   = "started"   // the main process of a session
	EventSpawned   = "spawned"   // another process of its tree
	EventCompleted = "completed" // a process exited
	EventKilled    = "killed"    // a process was ended by a signal, or its holder was
	EventOrphaned  = "orphaned"  // a process lives and its holder does not
)

// An Event is one line of the log.
type Event struct {
	Version   int    `json:"v"`
	Event     string `json:"event"`
	PID       int    `json:"pid"`
	ParentPID int    `json:"parentPid,omitzero"`
	Name      string `json:"name,omitzero"`
	Cmd       string `json:"cmd,omitzero"`
	Terminal  string `json:"terminal"` // the name of the session
	TS        Time   `json:"ts"`
	SessionID string `json:"sessionId"`
	Start     uint64 `json:"start,omitzero"`
	Inode     uint64 `json:"inode,omitzero"`
	Boot      string `json:"boot,omitzero"`
	Cwd       string `json:"cwd,omitzero"`
	ExitCode  *int   `json:"exitCode,omitempty"`
	Signal    string `json:"signal,omitzero"`
	Reason    string `json:"reason,omitzero"`
	Dropped   int    `json:"dropped,omitzero"` // events of the session before this one that were too many to be written
}

// A Time is written in RFC 3339 in UTC with milliseconds.
type Time struct{ time.Time }

// MarshalJSON writes t as "2026-01-15T10:30:00.123Z".
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// The most bytes that a line of the log has: what is longer is none of ours, and is skipped by readers, who would
// otherwise need as much memory as somebody likes. Texts are cut so that every line of ours is well below it, also
// when each of their bytes takes six.
const (
	maxLine    = 1 << 20
	maxCommand = 64 << 10
	maxText    = 8 << 10
)

// encodeEvents returns the lines of events.
func encodeEvents(events []Event) ([]byte, error) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for _, e := range events {
		e.Version = version
		e.Cmd = clip(e.Cmd, maxCommand)
		for _, text := range []*string{&e.Name, &e.Terminal, &e.SessionID, &e.Boot, &e.Cwd, &e.Signal, &e.Reason} {
			*text = clip(*text, maxText)
		}
		if err := encoder.Encode(e); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}

// clip cuts text after as many whole characters as go into a number of bytes.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
