package wire

import (
	"hash/adler32"

	"devtools/ledger"
	"devtools/ledger/codec"
)

// An InputNote is what the holder has written down about its session, for a client that lists many sessions: what it does
// about input, and its processes. The note is still true if none of the processes has run since, and nothing was
// printed: a client compares all fields with what it sees itself. Otherwise it looks at the processes, and asks the holder.
type InputNote struct {
	V         int            `json:"v"`
	Still     uint64         `json:"still"`             // of the processes, proc.Stillness
	Processes []NotedProcess `json:"processes"`         // all of the session
	Sockets   bool           `json:"sockets,omitzero"`  // one of them may have a socket open
	Segment   int64          `json:"segment,omitzero"`  // offset at which the newest file of the transcript begins
	Offset    int64          `json:"offset"`            // end of the output
	Size      ledger.Size    `json:"size"`              // of the terminal
	Patterns  uint32         `json:"patterns,omitzero"` // PatternSum of the workspace's patterns

	// Saved is when the record was written that has this size, tether and these requests; 0 if that was just before.
	Saved  int64          `json:"saved,omitzero"`
	Tether ledger.Process `json:"tether,omitzero"`
	Asks   []ledger.Ask   `json:"asks,omitempty"`

	InputState
}

// A NotedProcess has of a process what does not change while it sleeps.
type NotedProcess struct {
	PID  int      `json:"pid"`
	Args []string `json:"args" codec:"bytes"`
}

// maxNoted is the largest number of processes in a note. A client looks at each of them.
const maxNoted = 64

// PatternSum returns a checksum of the workspace's patterns of questions.
func PatternSum(dir ledger.Dir) uint32 {
	patterns, err := dir.Prompts()
	if err != nil {
		return 1
	}
	return adler32.Checksum(patterns)
}

// Note writes the note of session id.
func (n InputNote) Note(dir ledger.Dir, id string) error {
	n.V = Version
	data, err := codec.Marshal(n)
	if err != nil || len(data) > ledger.MaxInput/2 || len(n.Processes) > maxNoted { // half, to leave room for the checksum
		return err
	}
	return dir.SaveInput(id, data)
}

// Noted returns the note of session id. ok is false if there is none, or none that this version understands.
func Noted(dir ledger.Dir, id string) (n InputNote, ok bool) {
	data, ok := dir.Input(id)
	ok = ok && codec.Unmarshal(data, &n) == nil && n.V == Version
	return n, ok && 0 < len(n.Processes) && len(n.Processes) <= maxNoted
}
