package wire

import (
	"encoding/json"
	"hash/crc32"

	"devtools/ledger"
)

// An InputNote is what the holder has written down about its session's input state, for a client that lists many sessions.
// It is still true if no process of the session has run since, and nothing was printed: a client compares all fields
// with what it sees itself. Otherwise it asks the holder.
type InputNote struct {
	V        int         `json:"v"`
	Still    uint64      `json:"still"`    // of the session's processes, proc.Stillness
	Offset   int64       `json:"offset"`   // end of the output
	Size     ledger.Size `json:"size"`     // of the terminal
	Patterns uint32      `json:"patterns"` // PatternSum of the workspace's patterns
	InputState
}

// PatternSum returns a checksum of the workspace's patterns of questions.
func PatternSum(dir ledger.Dir) uint32 {
	patterns, err := dir.Prompts()
	if err != nil {
		return 1
	}
	return crc32.ChecksumIEEE(patterns)
}

// Note writes the note of session id.
func (n InputNote) Note(dir ledger.Dir, id string) error {
	n.V = Version
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return dir.SaveInput(id, data)
}

// Noted returns the note of session id. ok is false if there is none, or none that this version understands.
func Noted(dir ledger.Dir, id string) (n InputNote, ok bool) {
	data, ok := dir.Input(id)
	return n, ok && json.Unmarshal(data, &n) == nil && n.V == Version
}
