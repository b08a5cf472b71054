// Package runner starts sessions, holds them and talks to those who hold them.
//
// A session is a command in a terminal, kept by one detached holder process (Hold). Start makes one;
// Dial reaches one from any other process. A Client asks the holder, and reads what was printed from
// the transcript on disk, so that it can neither slow the command down nor lose a byte with the
// connection. The records in the state folder tell the rest, also when the holder is gone.
package wire

import (
	"cmp"
	"time"

	"devtools/ledger"
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

// NameOf returns the name that a session gets if no other has it.
func NameOf(s Spec) string {
	return cmp.Or(s.Name, ledger.CleanName(s.Base), ledger.NameFor(s.Command))
}
