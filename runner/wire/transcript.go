package wire

import (
	"errors"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// The errors of output that was kept in the memory of its holder alone.
var (
	ErrNotRecorded = errors.New("its output was not recorded (--no-record), and is gone with its holder")
	errOtherPIDs   = errors.New("its output is in the memory of its holder (--no-record), which runs in another pid namespace: read it there")
)

// Transcript returns where the output of a session is.
func Transcript(dir ledger.Dir, s ledger.Session) transcript.Place {
	if !s.NoRecord {
		return transcript.Folder(dir.SessionFolder(s.ID))
	}
	holder := track.Identity(s.Holder)
	if s.Namespace != 0 && s.Namespace != proc.Namespace() {
		return transcript.Memory(proc.Folder(holder.PID), s.ID, func() bool { return false }, ledger.SessionError(s.Name, errOtherPIDs))
	}
	return transcript.Memory(proc.Folder(holder.PID), s.ID, holder.Alive, ledger.SessionError(s.Name, ErrNotRecorded))
}
