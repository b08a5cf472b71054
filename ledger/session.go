package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The statuses of a session and of a process.
const (
	StatusStarting  = "starting"  // its name is taken, its program not yet started
	StatusRunning   = "running"   // the main process lives
	StatusCompleted = "completed" // the main process exited
	StatusKilled    = "killed"    // the main process was ended by a signal, or its holder was
	StatusOrphaned  = "orphaned"  // it lives and its holder does not
)

// A Process is the identity of a process: pid, start time in the kernel's own ticks and boot id
// name it for ever, and the pidfs inode, where the kernel has it, tells even pids recycled within
// one tick apart.
type Process struct {
	PID         int    `json:"pid"`
	Start       uint64 `json:"start,omitzero"`
	Boot        string `json:"boot,omitzero"`
	Inode       uint64 `json:"inode,omitzero"`
	ParentPID   int    `json:"parentPid,omitzero"`
	Name        string `json:"name,omitzero"`
	CommandLine string `json:"commandLine,omitzero"`
	Marked      bool   `json:"marked,omitzero"` // not known to descend from the holder: found by its environment or cgroup
}

// A Size is that of a terminal, in character cells.
type Size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// A Session is the record of one session. Its holder alone writes it.
type Session struct {
	Version    int      `json:"version"`
	Name       string   `json:"name"`
	ID         string   `json:"sessionId"`
	Status     string   `json:"status"`
	Command    []string `json:"command"`
	Cwd        string   `json:"cwd"`
	Size       Size     `json:"size,omitzero"`        // zero without a terminal
	StartSize  Size     `json:"startSize,omitzero"`   // at the start, where it has changed since
	Scrollback *int     `json:"scrollback,omitempty"` // lines, where it is not the default
	Main       Process  `json:"main,omitzero"`
	Holder     Process  `json:"holder"`
	Socket     string   `json:"socket,omitzero"` // absolute path
	Asks       []Ask    `json:"asks,omitempty"`  // what persons are asked for, while its holder lives
	StartedAt  Time     `json:"startedAt"`

	Folder       string `json:"folder,omitzero"`       // the state folder of its holder
	FolderDevice uint64 `json:"folderDevice,omitzero"` // and the numbers of that one's file
	FolderInode  uint64 `json:"folderInode,omitzero"`
	Namespace    uint64 `json:"namespace,omitzero"` // the pid namespace of its holder
	Cgroup       string `json:"cgroup,omitzero"`    // the cgroup of its processes, a path; "" without one

	ReportedBytes int64 `json:"reportedBytes,omitzero"` // output that those have got who waited for the command

	Labels map[string]string `json:"labels,omitempty"`
	Tether Process           `json:"tether,omitzero"` // the process with which it ends

	Awaited bool `json:"awaited,omitzero"` // its starter was to wait for its end, as devtools run does

	// From here on known when the main process has exited.
	EndedAt        Time      `json:"endedAt,omitzero"`
	ExitCode       *int      `json:"exitCode,omitempty"` // 128+n when signal n ended it
	Signal         string    `json:"signal,omitzero"`    // as "SIGTERM"
	ExitedAfterMs  int64     `json:"exitedAfterMs,omitzero"`
	DrainedAfterMs int64     `json:"drainedAfterMs,omitzero"`
	OutputBytes    int64     `json:"outputBytes,omitzero"`
	LostBytes      int64     `json:"lostBytes,omitzero"` // output that could not be stored
	TimedOut       bool      `json:"timedOut,omitzero"`  // its time limit ended it
	ToldToEnd      bool      `json:"toldToEnd,omitzero"` // devtools kill, or the like, ended it, whatever its exit code
	Leftovers      []Process `json:"leftovers,omitempty"`
	Closed         bool      `json:"closed,omitzero"` // the tree is gone, and the output complete
}

// An Ask is what a person is asked to do in a session.
type Ask struct {
	Message string `json:"message"`
	Since   Time   `json:"since"`
}

// Ended reports whether the record holds the end of the main process.
func (s Session) Ended() bool { return !s.EndedAt.IsZero() }

// ErrNoSession reports a name or id that no session has or had.
var ErrNoSession = errors.New("no such session")

// idAlphabet sorts in the order of its digits and has no letters that look like digits.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// idEpoch is the Unix time in milliseconds from which the ids of sessions count: 2020-01-01.
const idEpoch = 1577836800000

const idLength = 10

// newID returns an id that sorts by time of creation: eight digits of milliseconds, which last until the
// year 2054, and two of chance.
func newID(now time.Time) string {
	var id [idLength]byte
	elapsed := now.UnixMilli() - idEpoch
	for i := 7; i >= 0; i-- {
		id[i] = idAlphabet[elapsed&31]
		elapsed >>= 5
	}
	for i := 8; i < len(id); i++ { // chance against two at a time, not against guessing
		id[i] = idAlphabet[rand.IntN(len(idAlphabet))]
	}
	return string(id[:])
}

// NewSession makes the folder of a new session and returns its id, which no session had before.
func (d Dir) NewSession() (id string, err error) {
	for range 100 {
		id = newID(time.Now())
		err = os.Mkdir(d.SessionFolder(id), 0o700)
		if errors.Is(err, fs.ErrNotExist) {
			if err = os.Mkdir(d.file(sessionsDir), 0o700); err == nil || errors.Is(err, fs.ErrExist) {
				err = os.Mkdir(d.SessionFolder(id), 0o700)
			}
		}
		if !errors.Is(err, fs.ErrExist) {
			return id, err
		}
	}
	return "", err
}

// SessionFolder returns the folder that holds the transcript of the session id.
func (d Dir) SessionFolder(id string) string { return filepath.Join(d.root, sessionsDir, id) }

// ShellFolder returns the folder with what the shell of the session id reads at its start, which is there when
// devtools run --in can use it.
func (d Dir) ShellFolder(id string) string { return filepath.Join(d.path, sessionsDir, id, "shell") }

func (d Dir) record(id string) string { return d.file(sessionsDir + "/" + id + ".json") }

// SaveSession writes the record of s.
func (d Dir) SaveSession(s Session) error {
	s.Version = version
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return overwrite(d.record(s.ID), append(data, '\n'))
}

// LoadSession returns the record of the session id. A damaged record of a session without a holder is
// set aside and reported as ErrNoSession.
func (d Dir) LoadSession(id string) (Session, error) {
	if !isID(id) {
		return Session{}, fmt.Errorf("session %q: %w", id, ErrNoSession)
	}
	path := d.record(id)
	if unlock, err := share(path); err == nil {
		defer unlock()
	}
	var s Session
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("session %q: %w", id, ErrNoSession)
	}
	if err != nil {
		return s, err
	}
	if json.Unmarshal(data, &s) == nil && s.ID == id && s.plausible() {
		return s, nil
	}
	if !d.Held(id) {
		d.setAside(path)
	}
	return Session{}, fmt.Errorf("session %q: %w: its record is damaged", id, ErrNoSession)
}

// plausible reports whether s can be of our making: others rely on an id that is no path and on a command.
func (s Session) plausible() bool {
	return isID(s.ID) && len(s.Command) > 0
}

// isID reports whether id can be one of a session. Others are no part of a path.
func isID(id string) bool { return id != "" && strings.Trim(id, idAlphabet) == "" }

// Session returns the session with this name or id: the living one, else the newest that had it.
// The error is ErrNoSession when there was none.
func (d Dir) Session(name string) (Session, error) {
	active, err := d.Active()
	if err != nil {
		return Session{}, err
	}
	for _, s := range slices.Backward(active.Sessions) {
		if s.Name == name || s.ID == name {
			return s, nil
		}
	}
	ids, err := d.sessionIDs()
	if err != nil {
		return Session{}, err
	}
	for _, id := range slices.Backward(ids) {
		if s, err := d.LoadSession(id); err == nil && (s.Name == name || s.ID == name) {
			return s, nil
		}
	}
	return Session{}, fmt.Errorf("session %q: %w", name, ErrNoSession)
}

// Sessions returns the records of all sessions, oldest first. Damaged ones are set aside and left out.
func (d Dir) Sessions() ([]Session, error) {
	ids, err := d.sessionIDs()
	if err != nil {
		return nil, err
	}
	var all []Session
	for _, id := range ids {
		if s, err := d.LoadSession(id); err == nil {
			all = append(all, s)
		}
	}
	return all, nil
}

// sessionIDs returns the ids of all records in order of time.
func (d Dir) sessionIDs() ([]string, error) {
	entries, err := os.ReadDir(d.file(sessionsDir)) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for _, entry := range entries {
		if id, ok := strings.CutSuffix(entry.Name(), ".json"); ok && !strings.HasPrefix(id, ".") {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// The name of a file that was set aside has at its end the mark and the time.
const (
	asideMark  = ".corrupt-"
	asideStamp = "20060102T150405.000"
)

// setAside renames a damaged file, so that nothing in it is lost and nobody trips over it again.
func (d Dir) setAside(path string) {
	if d.still {
		return
	}
	aside := path + asideMark + time.Now().UTC().Format(asideStamp)
	if err := os.Rename(path, aside); err == nil {
		d.notef("%s is damaged: set aside as %s", path, filepath.Base(aside))
	}
}
