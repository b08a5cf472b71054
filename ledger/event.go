package ledger

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"
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

// Append writes events at the end of the log.
func (d Dir) Append(ctx context.Context, events []Event) error {
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return d.appendEvents(events)
}

// appendEvents writes whole lines at the end of the log in one write, and first ends a line that a
// crash has cut short. The caller holds the lock.
func (d Dir) appendEvents(events []Event) error {
	if len(events) == 0 {
		return nil
	}
	f, err := openFile(d.file(eventFile), os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	var lines bytes.Buffer
	var last [1]byte
	if size > 0 {
		if _, err := f.ReadAt(last[:], size-1); err == nil && last[0] != '\n' {
			lines.WriteByte('\n')
		}
	}
	encoder := json.NewEncoder(&lines)
	for _, event := range events {
		event.Version = version
		if err := encoder.Encode(event); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	if _, err = f.Write(lines.Bytes()); err != nil {
		err = errors.Join(err, f.Truncate(size)) // a full disk: no half line stays
	}
	return errors.Join(err, f.Close())
}

// Events yields the events of the log, oldest first. Lines that are no events (the torn last line of
// a crash, or damage) are skipped. It stops at the first error of reading.
func (d Dir) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f, err := os.Open(d.file(eventFile))
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer f.Close()
		lines := bufio.NewReaderSize(f, 64<<10)
		for {
			line, err := lines.ReadBytes('\n')
			if event, ok := decodeEvent(line); ok && !yield(event, nil) {
				return
			}
			if err != nil {
				if err != io.EOF {
					yield(Event{}, err)
				}
				return
			}
		}
	}
}

// decodeEvent takes one line, with its newline, apart; ok is false for a line that is no event.
func decodeEvent(line []byte) (e Event, ok bool) {
	if !bytes.HasSuffix(line, []byte("\n")) {
		return e, false
	}
	return e, json.Unmarshal(line, &e) == nil && e.Event != ""
}
