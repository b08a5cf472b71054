package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"devtools/ledger/codec"
)

// The statuses of a session and of a process.
const (
	StatusStarting   = "starting"   // the name is taken, the program has not started yet
	StatusRunning    = "running"    // the main process is alive
	StatusCompleted  = "completed"  // the main process exited
	StatusKilled     = "killed"     // a signal ended the main process, or the holder was killed
	StatusRestarting = "restarting" // the command has ended, and its holder starts it again in a moment
	StatusOrphaned   = "orphaned"   // processes of the session are alive, the holder is not
)

// The reasons for which a holder ends its session, besides the time limit and a request.
const (
	EndIdleLimit = "idle_limit" // nobody used it for its idle limit
	EndTether    = "tether"     // the process of its tether has ended
)

// A Process is the identity of a process. The pid, the start time in the kernel's ticks and the boot id name the
// process for ever. The pidfs inode, where the kernel has it, distinguishes even two processes with the same pid
// within one tick.
type Process struct {
	PID         int    `json:"pid"`
	Start       uint64 `json:"start,omitzero"`
	Boot        string `json:"boot,omitzero"`
	Inode       uint64 `json:"inode,omitzero"`
	ParentPID   int    `json:"parentPid,omitzero"`
	Name        string `json:"name,omitzero"`
	CommandLine string `json:"commandLine,omitzero"`
	Marked      bool   `json:"marked,omitzero"` // found by its environment or cgroup; not known to descend from the holder
}

// A Size is the size of a terminal, in character cells.
type Size struct {
	Cols int `json:"cols"` // number of columns
	Rows int `json:"rows"` // number of rows
}

// A Session is the record of one session. Its holder writes it. When the holder was killed, who finds that out writes
// down, with the lock of the ledger, what has become of the session.
type Session struct {
	Version    int      `json:"version"`
	Name       string   `json:"name"`
	ID         string   `json:"sessionId"`
	Status     string   `json:"status"`
	Command    []string `json:"command"`
	Cwd        string   `json:"cwd"`
	Size       Size     `json:"size,omitzero"`        // zero without a terminal
	StartSize  Size     `json:"startSize,omitzero"`   // size at the start, if it has changed since
	Scrollback *int     `json:"scrollback,omitempty"` // number of lines, if it is not the default
	Main       Process  `json:"main,omitzero"`
	Holder     Process  `json:"holder"`
	Socket     string   `json:"socket,omitzero"` // absolute path
	Asks       []Ask    `json:"asks,omitempty"`  // requests to persons, while the holder is alive
	StartedAt  Time     `json:"startedAt"`

	Folder       string `json:"folder,omitzero"`       // state folder of the holder
	FolderDevice uint64 `json:"folderDevice,omitzero"` // device and inode of that folder
	FolderInode  uint64 `json:"folderInode,omitzero"`
	Namespace    uint64 `json:"namespace,omitzero"` // pid namespace of the holder
	EndsWith     string `json:"endsWith,omitzero"`  // what ends the sandbox of the holder, which ends with the call; "": nothing that is known
	Cgroup       string `json:"cgroup,omitzero"`    // path of the cgroup of its processes; "": none

	ReportedBytes int64 `json:"reportedBytes,omitzero"` // bytes of output that callers waiting for the command have received

	Title  string            `json:"title,omitzero"` // what a person calls it; "": nothing
	Labels map[string]string `json:"labels,omitempty"`
	Tether Process           `json:"tether,omitzero"` // process with which the session ends

	OnExitOf  string `json:"onExitOf,omitzero"`  // id of the session whose end has started this one
	RestartOf string `json:"restartOf,omitzero"` // id of the session that was started first, of one that was started again

	NoRecord bool `json:"noRecord,omitzero"` // its output is in the memory of its holder alone

	Share bool `json:"share,omitzero"` // calls in a sandbox may act on it

	Secrets    []string `json:"secrets,omitempty"`   // names of the variables whose values are masked
	Isolation  string   `json:"isolation,omitzero"`  // level of its isolation, if it is not medium
	TempFolder string   `json:"tempFolder,omitzero"` // its own temporary folder at the level high

	Awaited bool   `json:"awaited,omitzero"` // its starter intended to wait for its end, as devtools run does
	LeftAt  Time   `json:"leftAt,omitzero"`  // when that starter went away before the end
	Caller  Caller `json:"caller,omitzero"`  // who had it started

	// LostAt is when it was found that the holder was killed and that no process of the session is left.
	LostAt Time `json:"lostAt,omitzero"`

	// The fields from here on are set when the main process has exited.
	EndedAt        Time      `json:"endedAt,omitzero"`
	ExitCode       *int      `json:"exitCode,omitempty"` // 128+n when signal n ended it
	Pipeline       []int     `json:"pipeline,omitempty"` // exit codes of the stages of the pipeline with which its line ends, where the shell has told
	Signal         string    `json:"signal,omitzero"`    // for example "SIGTERM"
	ExitedAfterMs  int64     `json:"exitedAfterMs,omitzero"`
	DrainedAfterMs int64     `json:"drainedAfterMs,omitzero"`
	OutputBytes    int64     `json:"outputBytes,omitzero"`
	LostBytes      int64     `json:"lostBytes,omitzero"` // bytes of output that could not be stored
	TimedOut       bool      `json:"timedOut,omitzero"`  // the time limit ended it
	EndReason      string    `json:"endReason,omitzero"` // what ended it, if that was EndIdleLimit or EndTether
	ToldToEnd      bool      `json:"toldToEnd,omitzero"` // devtools kill or a similar request ended it, whatever its exit code
	Leftovers      []Process `json:"leftovers,omitempty"`
	EndedLeftovers []Process `json:"endedLeftovers,omitempty"` // processes that outlived the main process and that the holder ended
	RestartAt      Time      `json:"restartAt,omitzero"`       // when its holder starts it again
	Closed         bool      `json:"closed,omitzero"`          // the process tree has ended and the output is complete
}

// An Ask is a request to a person in a session.
type Ask struct {
	Message string `json:"message"`
	Since   Time   `json:"since"`
}

// Ended reports whether the record contains the end of the main process.
func (s Session) Ended() bool { return !s.EndedAt.IsZero() }

// Counts reports whether s counts for the limit of sessions. One that is started again keeps its place.
func (s Session) Counts() bool {
	return (!s.Ended() || s.Status == StatusRestarting) && s.OnExitOf == ""
}

// Over returns when the session ended, or when it was found to be lost; zero: neither.
func (s Session) Over() time.Time {
	if s.Ended() {
		return s.EndedAt.Time
	}
	return s.LostAt.Time
}

// ErrNoSession reports a name or id that no session has or had.
var ErrNoSession = errors.New("no such session")

// idAlphabet has the digits of ids. They sort in the order of their values, and no letter looks like a digit.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// idEpoch is the beginning of the time in session ids, in Unix milliseconds: 2020-01-01.
const idEpoch = 1577836800000

const idLength = 10

// newID returns an id that sorts by time of creation. Its first eight digits are milliseconds, which last until the
// year 2054. Two random digits follow.
func newID(now time.Time) string {
	var id [idLength]byte
	elapsed := now.UnixMilli() - idEpoch
	for i := 7; i >= 0; i-- {
		id[i] = idAlphabet[elapsed&31]
		elapsed >>= 5
	}
	for i := 8; i < len(id); i++ { // against two ids in the same millisecond, not against guessing
		id[i] = idAlphabet[rand.IntN(len(idAlphabet))]
	}
	return string(id[:])
}

// NewSession makes the folder of a new session and returns its id. No earlier session had this id.
func (d Dir) NewSession() (id string, err error) {
	for range 100 {
		if id = newID(time.Now()); d.discards {
			return id, nil
		}
		err = os.Mkdir(d.SessionFolder(id), 0o700)
		if errors.Is(err, fs.ErrNotExist) {
			if err = os.Mkdir(d.file(sessionsDir), 0o700); err == nil || errors.Is(err, fs.ErrExist) {
				err = os.Mkdir(d.SessionFolder(id), 0o700)
			}
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return id, d.unwritable(err)
}

// startRoom is the room on disk that a session takes at its start, in bytes. A shell with 24 KiB could not be started: its
// folders, its record, its claim and the files that it reads at its start.
const startRoom = 32 << 10

// CheckRoom returns an error if the disk has no room for another session. What it writes cannot be compressed: a file system
// that compresses takes no room for zeros.
func (d Dir) CheckRoom() error {
	id, err := d.NewSession()
	if err != nil {
		return err
	}
	noise := make([]byte, 0, startRoom)
	for len(noise) < startRoom {
		noise = binary.NativeEndian.AppendUint64(noise, rand.Uint64())
	}
	f, err := openFile(d.claim(id), os.O_WRONLY|os.O_CREATE)
	if err == nil {
		_, err = f.Write(noise)
		err = errors.Join(err, f.Close())
	}
	return errors.Join(err, d.RemoveSession(id))
}

// SessionFolder returns the path of the folder with the transcript of session id.
func (d Dir) SessionFolder(id string) string { return filepath.Join(d.root, sessionsDir, id) }

// ShellFolder returns the path of the folder with the files that the shell of session id reads at its start. The
// folder exists if devtools run --in can use the shell.
func (d Dir) ShellFolder(id string) string { return filepath.Join(d.path, shellFolder(id)) }

// LastingShellFolder returns the path of the same folder below [Dir.Lasting].
func (d Dir) LastingShellFolder(id string) string { return filepath.Join(d.Lasting(), shellFolder(id)) }

func shellFolder(id string) string { return filepath.Join(sessionsDir, id, "shell") }

func (d Dir) record(id string) string { return d.file(sessionsDir + "/" + id + ".json") }

// SaveSession writes the record of s.
func (d Dir) SaveSession(s Session) error {
	if d.discards {
		return nil
	}
	s.Version = version
	data, err := codec.Marshal(s)
	if err != nil {
		return err
	}
	return overwrite(d.record(s.ID), append(data, '\n'))
}

// LoadSession returns the record of session id. If the record is damaged, the error is ErrNoSession. If the session
// also has no holder, the damaged record is set aside.
func (d Dir) LoadSession(id string) (Session, error) {
	s, err := d.readSession(id)
	unwritten := func() bool { return err == errDamaged || errors.Is(err, ErrNoSession) && isID(id) }
	for begun, held := time.Now(), true; unwritten() && held && time.Since(begun) < patience; { // its holder is writing it for the first time
		if held = d.Held(id); held {
			<-time.After(time.Millisecond)
		}
		s, err = d.readSession(id) // where nobody holds it any more, this is how it stays
	}
	if errors.Is(err, ErrNoSession) && isID(id) && d.Held(id) {
		if d, ok := d.recovered(); ok {
			return d.LoadSession(id)
		}
	}
	if err == errDamaged {
		if !d.Held(id) {
			d.setAside(d.record(id))
		}
		err = fmt.Errorf("session %q: %w: its record is damaged", id, ErrNoSession)
	}
	return s, err
}

// readSession works as LoadSession and leaves a damaged record where it is: then the error is errDamaged.
func (d Dir) readSession(id string) (Session, error) {
	if !isID(id) {
		return Session{}, SessionError(id, ErrNoSession)
	}
	data, err := readShared(d.record(id))
	if errors.Is(err, fs.ErrNotExist) {
		return Session{}, SessionError(id, ErrNoSession)
	}
	if err != nil {
		return Session{}, err
	}
	var s Session
	if codec.Unmarshal(data, &s) != nil || s.ID != id || !s.plausible() {
		return Session{}, errDamaged
	}
	return s, nil
}

// Saved returns the time at which the record of session id was last written, in Unix ns, or 0 if there is none.
func (d Dir) Saved(id string) int64 {
	info, err := os.Lstat(d.record(id))
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// Limits of the numbers in a record. No session prints as many bytes, lasts as many milliseconds or ends with such a code.
const (
	maxAmount   = 1 << 56
	maxExitCode = 1<<32 - 1
	maxSide     = 1<<16 - 1 // rows or columns, winsize of ioctl_tty(2)
)

// plausible reports whether devtools can have written s. Callers rely on an id that is not a path, on a command and on
// numbers that can be added.
func (s Session) plausible() bool {
	for _, n := range []int64{s.ReportedBytes, s.ExitedAfterMs, s.DrainedAfterMs, s.OutputBytes, s.LostBytes} {
		if n < 0 || n > maxAmount {
			return false
		}
	}
	for _, n := range []int{s.Size.Cols, s.Size.Rows, s.StartSize.Cols, s.StartSize.Rows} {
		if n < 0 || n > maxSide {
			return false
		}
	}
	if code := s.ExitCode; code != nil && (*code < 0 || *code > maxExitCode) {
		return false
	}
	return isID(s.ID) && len(s.Command) > 0
}

// isID reports whether id can be the id of a session. Other texts must not become part of a path.
func isID(id string) bool {
	return id != "" && len(id) <= nameLength && strings.Trim(id, idAlphabet) == ""
}

// The name of a file that was set aside ends with the mark and the time.
const (
	asideMark  = ".corrupt-"
	asideStamp = "20060102T150405.000"
)

// setAside renames a damaged file. So its content is not lost, and no later reader meets it again.
func (d Dir) setAside(path string) {
	if d.noRepair {
		return
	}
	aside := path + asideMark + time.Now().UTC().Format(asideStamp)
	if err := os.Rename(path, aside); err == nil {
		d.Notef("%s is damaged: set aside as %s", path, filepath.Base(aside))
	}
}
