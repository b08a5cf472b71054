package ledger

import (
	"os"
	"time"
)

// Newcomers finds the sessions that start from now on, also those that end at once.
type Newcomers struct {
	dir     Dir
	known   map[string]bool
	changed time.Time // time of the last change of the folder with the records, when it was last listed
}

// racyTime is how long after a change of a folder another change may leave the same time on it: file systems have times of 4 ms,
// and some of 2 s.
const racyTime = 2 * time.Second

// Newcomers returns a Newcomers that knows no session yet. Its first Next returns all.
func (d Dir) Newcomers() *Newcomers { return &Newcomers{dir: d, known: map[string]bool{}} }

// Know leaves a session out of what Next returns.
func (n *Newcomers) Know(id string) { n.known[id] = true }

// KnowAll leaves out all sessions that have started by now.
func (n *Newcomers) KnowAll() error {
	ids, err := n.dir.sessionIDs()
	for _, id := range ids {
		n.Know(id)
	}
	return err
}

// Next returns the records of the sessions that have started since the last call, oldest first. A call is one system call if
// there is none. As long as a record cannot be read, because it is being written or is damaged, each call lists the folder. The error is fs.ErrNotExist if the state folder was removed.
func (n *Newcomers) Next() (sessions []Session, err error) {
	info, err := os.Stat(n.dir.file(sessionsDir))
	if err != nil || info.ModTime().Equal(n.changed) && time.Since(n.changed) > racyTime {
		return nil, err
	}
	ids, err := n.dir.sessionIDs()
	if err != nil {
		return nil, err
	}
	n.changed = info.ModTime()
	before := n.known
	n.known = make(map[string]bool, len(ids)) // without those that were removed
	for _, id := range ids {
		if !before[id] {
			s, err := n.dir.readSession(id)
			if err != nil { // tried again at the next call
				n.changed = time.Time{}
				continue
			}
			sessions = append(sessions, s)
		}
		n.Know(id)
	}
	return sessions, nil
}
