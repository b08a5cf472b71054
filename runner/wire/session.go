package wire

import (
	"cmp"
	"time"

	"devtools/ledger"
	"devtools/runner/guard/isolation"
)

// What happens to processes that outlive the main process and the grace.
const (
	LeftoversReport = "report" // they go on, are listed and stay tracked
	LeftoversWait   = "wait"   // the command is finished only after they end
	LeftoversKill   = "kill"   // the holder ends them
)

// A Spec describes a session to start. The starter sends it to the holder. The arguments, environment and folders of a
// command may be any bytes, and JSON is text: they are sent as bytes.
type Spec struct {
	ID         string        `json:"id"`                    // id of the session; Start sets it
	Dir        string        `json:"dir" codec:"bytes"`     // state folder
	Name       string        `json:"name,omitzero"`         // name of the session; "": a generated name that no other session has
	Base       string        `json:"base,omitzero"`         // beginning of a generated name; "": the name of the program
	Command    []string      `json:"command" codec:"bytes"` // command line for display
	Path       string        `json:"path" codec:"bytes"`    // executable; absolute path
	Env        []string      `json:"env" codec:"bytes"`     // complete environment of the command
	Cwd        string        `json:"cwd" codec:"bytes"`     // working directory; absolute path
	Umask      *int          `json:"umask,omitempty"`       // umask(2) of the command; nil: that of the holder
	FileLimit  uint64        `json:"fileLimit,omitzero"`    // soft limit of its open files, RLIMIT_NOFILE; 0: that of the holder
	Size       ledger.Size   `json:"size,omitzero"`         // size of the terminal
	NoTerminal bool          `json:"noTerminal,omitzero"`   // pipes instead of a terminal, with standard output and error apart
	InputPipe  bool          `json:"inputPipe,omitzero"`    // without a terminal: the command reads a pipe into which the holder types
	Shell      bool          `json:"shell,omitzero"`        // make a bare interactive shell usable for run --in
	Stages     int           `json:"stages,omitzero"`       // number of stages of the pipeline with which the command, a line of bash or zsh, ends; 0: it ends in another way
	Stdin      bool          `json:"stdin,omitzero"`        // the command gets the starter's standard input
	Jobs       bool          `json:"jobs,omitzero"`         // the command gets both ends of the pipe of make's job server, as descriptors 3 and 4
	Foreground bool          `json:"foreground,omitzero"`   // the starter reads along: wait for it when it is far behind
	Viewed     bool          `json:"viewed,omitzero"`       // the starter is a person's terminal, which answers queries
	Grace      time.Duration `json:"grace"`                 // time for processes that outlive the main process
	Leftovers  string        `json:"leftovers"`             // LeftoversReport, LeftoversWait or LeftoversKill
	TimeLimit  time.Duration `json:"timeLimit,omitzero"`    // time until the holder ends the tree; 0: no limit
	IdleLimit  time.Duration `json:"idleLimit,omitzero"`    // time without use until the holder ends the tree; 0: no limit
	KillAfter  time.Duration `json:"killAfter,omitzero"`    // time between TERM and KILL
	MaxLog     int64         `json:"maxLog,omitzero"`       // size limit of the transcript, in bytes
	NoRecord   bool          `json:"noRecord,omitzero"`     // keep output, input and commands in the memory of the holder alone
	NoFolder   bool          `json:"noFolder,omitzero"`     // no folder can have the session: only the starter can reach it
	OwnHistory bool          `json:"ownHistory,omitzero"`   // its shells keep their history apart from that of the user
	Share      bool          `json:"share,omitzero"`        // let clients in a sandbox act on the session

	FewProcesses bool `json:"fewProcesses,omitzero"` // the command may soon use up the processes and threads that are allowed

	// Secrets are NAME=VALUE of the variables in Env whose values are masked in all that is recorded or answered. They are in no
	// file and no argument.
	Secrets []string `json:"secrets,omitempty" codec:"bytes"`

	Caller    ledger.Caller    `json:"caller,omitzero"`    // who has the session started
	Retention ledger.Retention `json:"retention,omitzero"` // what to keep of ended sessions; applied at the holder's end

	Scrollback *int              `json:"scrollback,omitempty"` // maximum number of scrolled-off rows; nil: the default
	Title      string            `json:"title,omitzero"`       // what a person calls the session
	Labels     map[string]string `json:"labels,omitempty"`
	Tether     int               `json:"tether,omitzero"`   // pid of a process with which the session ends; 0: none
	EndsWith   string            `json:"endsWith,omitzero"` // as in ledger.Session, if the starter has looked; the holder does so later
	NoCgroup   bool              `json:"noCgroup,omitzero"` // do not create a cgroup for the session

	Isolation *isolation.Rules `json:"isolation,omitempty"` // what the session can reach; nil: the level medium
	Agent     bool             `json:"agent,omitzero"`      // the call is that of an agent, for which pins of the isolation may hold
	Withheld  []string         `json:"-"`                   // names of variables that seem to have secrets, and that Env does not have; the holder does not get them
	// MaxSessions is the limit of running sessions in the workspace, including this one. 0 means no limit.
	MaxSessions int `json:"maxSessions,omitzero"`

	// RestartOnFailure makes the holder start the session again when its command has failed: with a code other than 0, or by a
	// signal, unless it was told to end. Failures is how often that has happened in a row. Replaces is the id of the ended
	// session that has the name until this one has started, and RestartOf that of the session that was first started so.
	RestartOnFailure bool   `json:"restartOnFailure,omitzero"`
	Failures         int    `json:"failures,omitzero"`
	Replaces         string `json:"replaces,omitzero"`
	RestartOf        string `json:"restartOf,omitzero"`

	// OnExit is the command that the holder starts once, in a session of its own, when the result is known. OnExitPath is its
	// executable. OnExitOf is the id of the session whose end has started this one: it does not count for the limit of sessions.
	OnExit     []string `json:"onExit,omitempty" codec:"bytes"`
	OnExitPath string   `json:"onExitPath,omitzero" codec:"bytes"`
	OnExitOf   string   `json:"onExitOf,omitzero"`
}

// The labels of the sessions of a watch. Their value is the id of the watch, which finds its sessions by them.
const (
	LabelWatch = "watch"       // the program
	LabelBuild = "watch-build" // the build
)

// NameOf returns the name for the session if no other session has it.
func NameOf(s Spec) string {
	return cmp.Or(s.Name, ledger.CleanName(s.Base), ledger.NameFor(s.Command))
}
