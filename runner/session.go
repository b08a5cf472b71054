// Package runner starts sessions, holds them and talks to those who hold them.
//
// A session is a command in a terminal, kept by one detached holder process (Hold). Start makes one;
// Dial reaches one from any other process. A Client asks the holder, and reads what was printed from
// the transcript on disk, so that it can neither slow the command down nor lose a byte with the
// connection. The records in the state folder tell the rest, also when the holder is gone.
package runner

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
)

// Errors that callers branch on.
var (
	ErrNameTaken     = errors.New("name is taken")
	ErrBadName       = errors.New("not a session name")
	ErrNotFound      = errors.New("command not found")
	ErrNotExecutable = errors.New("not executable")
	ErrNoProcess     = errors.New("no such process of ours")
	ErrNoTerminal    = errors.New("session has no terminal")
	ErrEnded         = errors.New("has ended")
	ErrHolderGone    = errors.New("its holder is gone")
	ErrElsewhere     = errors.New("belongs to another state folder")
	ErrNoAnswer      = errors.New("its holder does not answer") // it lives, and may be stopped
	ErrNoDescriptors = errors.New("its holder has no file descriptor left for another client")
	ErrTimeout       = errors.New("timed out")
	ErrTooMany       = errors.New("too many sessions")
	ErrWithdrawn     = errors.New("the request was withdrawn")
	ErrNoShell       = errors.New("not a shell that devtools launched")
	ErrBusy          = errors.New("is busy")
	ErrIncomplete    = errors.New("the command is not complete")
)

// What becomes of processes that outlive the main process and the grace.
const (
	LeftoversReport = "report" // they live on, are listed and stay tracked
	LeftoversWait   = "wait"   // completion waits for them
	LeftoversKill   = "kill"   // they are ended
)

// A Spec says what a session is to be. It crosses from the starter to the holder.
type Spec struct {
	ID         string        `json:"id"`                  // of the session; Start makes it
	Dir        string        `json:"dir"`                 // state folder
	Name       string        `json:"name,omitzero"`       // "" makes one, that no other session has
	Base       string        `json:"base,omitzero"`       // what that begins with; "" is the name of the program
	Command    []string      `json:"command"`             // as it is shown
	Path       string        `json:"path"`                // the executable; absolute
	Env        []string      `json:"env"`                 // of the command, whole
	Cwd        string        `json:"cwd"`                 // absolute
	Size       ledger.Size   `json:"size,omitzero"`       // of the terminal
	NoTerminal bool          `json:"noTerminal,omitzero"` // pipes instead, standard output and error apart
	Shell      bool          `json:"shell,omitzero"`      // when the command is a bare interactive shell, it is to be one that run --in can use
	Stdin      bool          `json:"stdin,omitzero"`      // the starter's standard input is the command's
	Foreground bool          `json:"foreground,omitzero"` // the starter reads along: wait for it when it is far behind
	Viewed     bool          `json:"viewed,omitzero"`     // the starter is a person's terminal, which answers queries
	Grace      time.Duration `json:"grace"`               // for what outlives the main process
	Leftovers  string        `json:"leftovers"`           // LeftoversReport, LeftoversWait or LeftoversKill
	TimeLimit  time.Duration `json:"timeLimit,omitzero"`  // after which the tree is ended; 0 is never
	KillAfter  time.Duration `json:"killAfter,omitzero"`  // between TERM and KILL
	MaxLog     int64         `json:"maxLog,omitzero"`     // bytes that the transcript keeps

	Retention ledger.Retention `json:"retention,omitzero"` // of what has ended in the workspace, which the holder sees to at its end

	Scrollback  *int              `json:"scrollback,omitempty"` // rows that have left the screen; nil is the default
	Labels      map[string]string `json:"labels,omitempty"`
	Tether      int               `json:"tether,omitzero"`      // pid of a process with which the session ends; 0 is none
	NoCgroup    bool              `json:"noCgroup,omitzero"`    // no cgroup of its own
	MaxSessions int               `json:"maxSessions,omitzero"` // how many may live in the workspace, this one included; 0 is any number
}

// nameLength is the most characters of a session's name.
const nameLength = 64

// CheckName returns ErrBadName unless name can be a session's: letters, digits, '.', '_' and '-',
// beginning with a letter or digit, not digits alone (which would be a pid), at most 64 characters.
func CheckName(name string) error {
	if cleanName(name) != name || name == "" {
		return errNamed(name, ErrBadName)
	}
	return nil
}

func errNamed(name string, err error) error { return &sessionError{name, err} }

// A sessionError says which session an error is about.
type sessionError struct {
	name string
	err  error
}

func (e *sessionError) Error() string {
	return "session " + strconv.Quote(e.name) + ": " + e.err.Error()
}
func (e *sessionError) Unwrap() error { return e.err }

// cleanName makes a name of text by leaving out what a name cannot have. It may be "".
func cleanName(text string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return -1
	}, text)
	name = strings.TrimLeft(name, "._-")
	if len(name) > nameLength {
		name = name[:nameLength]
	}
	if strings.Trim(name, "0123456789") == "" {
		return ""
	}
	return name
}

// NameFor returns the name that a session of the command gets when it has none: that of the program.
func NameFor(command []string) string {
	program := command[0]
	if len(command) == 3 && command[1] == "-c" && strings.HasSuffix(filepath.Base(program), "sh") { // a shell line: its first word
		words := strings.FieldsFunc(command[2], func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>", r) })
		for _, word := range words {
			if !strings.Contains(word, "=") { // a variable for it
				program = word
				break
			}
		}
	}
	if name := cleanName(strings.TrimSuffix(filepath.Base(program), ".exe")); name != "" {
		return name
	}
	return "session"
}

// NameOf returns the name that a session gets if no other has it.
func NameOf(s Spec) string { return cmp.Or(s.Name, cleanName(s.Base), NameFor(s.Command)) }

// freeName returns base, or base-2, base-3 and so on: the first that no active session has.
func freeName(a *ledger.Active, base string) string {
	name := base
	for n := 2; a.Named(name) != nil; n++ {
		suffix := "-" + strconv.Itoa(n)
		name = base[:min(len(base), nameLength-len(suffix))] + suffix
	}
	return name
}

// process returns how the ledger writes the process id.
func process(id proc.ID) ledger.Process {
	return ledger.Process{PID: id.PID, Start: id.Start, Boot: id.Boot, Inode: id.Inode}
}

// Self returns the identity of this process as the ledger has it; empty where the system does not tell.
func Self() ledger.Process {
	id, err := proc.Identify(os.Getpid())
	if err != nil {
		return ledger.Process{}
	}
	return process(id)
}

// identity returns the identity that the ledger has of a process. Without a boot id, where the system has
// one, it is nobody's: such an entry is not of our making.
func identity(p ledger.Process) proc.ID {
	if p.Boot == "" && proc.Boot() != "" {
		return proc.ID{}
	}
	return proc.ID{PID: p.PID, Start: p.Start, Boot: p.Boot, Inode: p.Inode}
}
