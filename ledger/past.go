package ledger

import (
	"bytes"
	"slices"

	"devtools/ledger/codec"
)

// A Past is what the active set remembers of a session that has left it, for reminders.
type Past struct {
	Name      string `json:"name"`
	ID        string `json:"sessionId"`
	Status    string `json:"status"`
	ExitCode  *int   `json:"exitCode,omitempty"`
	Signal    string `json:"signal,omitzero"`
	StartedAt Time   `json:"startedAt"`
	EndedAt   Time   `json:"endedAt"`
	Caller    Caller `json:"caller,omitzero"`
	Namespace uint64 `json:"namespace,omitzero"` // pid namespace in which the caller has its numbers
}

// A Caller is who called devtools. A number that is not known is 0. Both are numbers of processes, which the kernel gives
// again: whoever compares them knows since when they have meant this process.
type Caller struct {
	PID     int `json:"pid,omitzero"`     // parent process
	Session int `json:"session,omitzero"` // first process of its session, setsid(2): in a terminal, mostly the shell
}

const (
	pastMember = `,"ended":` // of the active set

	// mostPast is how many sessions the active set remembers. With ten, its file grows by 2 KB.
	mostPast = 10
)

// NewPast returns what is remembered of an ended session.
func NewPast(s Session) Past {
	return Past{s.Name, s.ID, s.Status, s.ExitCode, s.Signal, s.StartedAt, Time{s.Over()}, s.Caller, s.Namespace}
}

// End removes the session s, which has ended so, from the set. Unlike Remove, it makes the set remember s. The command of
// an --on-exit is not remembered.
func (a *Active) End(s Session) {
	if s.OnExitOf == "" {
		past := slices.DeleteFunc(a.Past(), func(p Past) bool { return p.ID == s.ID }) // a damaged set has it from its record
		a.remember(append(past, NewPast(s)))
	}
	a.Remove(s.ID)
}

// Past returns the last sessions that have left the set, the last of them at the end. A set that an older devtools has
// written knows none.
func (a *Active) Past() (past []Past) {
	if codec.Unmarshal(a.past, &past) != nil {
		return nil
	}
	return past
}

// remember replaces what Past returns by the last of these sessions.
func (a *Active) remember(past []Past) {
	text, err := codec.Marshal(past[max(0, len(past)-mostPast):])
	if a.past = text; err != nil {
		a.past = nil
	}
}

// forget removes sessions that were pruned from what Past returns.
func (a *Active) forget(pruned map[string]bool) {
	a.remember(slices.DeleteFunc(a.Past(), func(p Past) bool { return pruned[p.ID] }))
}

// tailOf returns the texts of the index of names and of the ended sessions in the file of the active set, nil for one that is
// not there.
func tailOf(data []byte) (index, past []byte) {
	if !hasSum(data) {
		return nil, nil
	}
	_, tail, _ := bytes.Cut(data[:len(data)-sumLength], []byte("\n"+activeTail)) // entries have no newline
	tail, past, _ = bytes.Cut(tail, []byte(pastMember))
	if text, ok := bytes.CutPrefix(tail, []byte(namesMember)); ok {
		index = text
	}
	return bytes.Clone(index), bytes.Clone(past)
}
