package commands

import (
	"time"

	"devtools/ledger"
	"devtools/runner/list"
	"devtools/runner/wire"
	"devtools/stack"
)

// A psResult is the output of ps --json.
type psResult struct {
	Sessions []sessionResult     `json:"sessions"`         // sessions in the order of --sort
	Active   []list.Process      `json:"active"`           // living processes of sessions with a holder, as a flat list
	Orphaned []list.Process      `json:"orphaned"`         // processes that outlived the holder of their session, as a flat list
	Missing  []stack.Expectation `json:"missing,omitzero"` // what does not run: sessions of sessions.toml, and with --expected what is expected

	// MissingError says why it is not known which sessions of sessions.toml do not run.
	MissingError  string `json:"missingError,omitzero"`
	SilentHolders int    `json:"silentHolders,omitzero"` // with --everywhere: number of holders that do not answer; their sessions are not listed
}

// The kinds of events of ps --watch.
const eventListing = "listing" // all sessions, as they are at this time

// A psEvent is one line of ps --watch --json.
type psEvent struct {
	Event string      `json:"event"` // kind of the event
	TS    ledger.Time `json:"ts"`    // time of the listing
	psResult
}

// A sessionResult is a session with its living process tree. The members terminalName, rootPid, processes and
// totalCount describe the tree.
type sessionResult struct {
	Name         string            `json:"name"`                  // name of the session
	SessionID    string            `json:"sessionId"`             // id of the session
	Status       string            `json:"status"`                // status of the session: starting, running, completed, killed, restarting or orphaned
	Command      []string          `json:"command"`               // arguments of the command
	CommandLine  string            `json:"commandLine"`           // the command as text, at most 64 KiB
	TerminalName string            `json:"terminalName"`          // name of the session
	PID          int               `json:"pid"`                   // main process; 0 before the program has started
	RootPID      int               `json:"rootPid"`               // root of the process tree: the main process
	ParentPID    int               `json:"parentPid,omitzero"`    // parent of the main process
	HolderPID    int               `json:"holderPid"`             // process that holds the session
	TetherPID    int               `json:"tetherPid,omitzero"`    // process with whose end the session ends
	Cwd          string            `json:"cwd"`                   // working directory at the start
	Size         ledger.Size       `json:"size,omitzero"`         // size of the terminal; absent without a terminal
	StartSize    ledger.Size       `json:"startSize,omitzero"`    // size at the start, if it has changed since
	Scrollback   int               `json:"scrollback"`            // maximum number of scrolled-off rows
	Title        string            `json:"title,omitzero"`        // title of the session, if it has one
	Labels       map[string]string `json:"labels"`                // labels of the session
	Asks         []askedResult     `json:"asks"`                  // open requests to persons
	StatePath    string            `json:"statePath,omitzero"`    // with --everywhere: state folder of the session
	StateRemoved bool              `json:"stateRemoved,omitzero"` // its state folder was removed
	Log          string            `json:"log,omitzero"`          // file with the newest output; absent with --no-record
	NoRecord     bool              `json:"noRecord,omitzero"`     // its output is in the memory of its holder alone
	Secrets      []string          `json:"secrets"`               // names of the variables whose values are masked (--secret)
	Isolation    string            `json:"isolation,omitzero"`    // level of its isolation, if it is not medium: none, basic or high
	StartedAt    ledger.Time       `json:"startedAt"`             // start of the session
	AgeMs        int64             `json:"ageMs"`                 // time since its start; for an ended session, up to its end
	IdleMs       int64             `json:"idleMs"`                // time since its last output; for an ended session, up to its end
	CPUPercent   float64           `json:"cpuPercent"`            // processor use of its processes; 100 is one processor
	MemoryBytes  uint64            `json:"memoryBytes"`           // resident memory of its processes
	OutputBytes  int64             `json:"outputBytes"`           // output so far
	LostBytes    int64             `json:"lostBytes"`             // output that could not be stored

	OutputBytesPerSecond float64 `json:"outputBytesPerSecond"` // average over the last 5 s

	EndedAt        ledger.Time `json:"endedAt,omitzero"`         // end of the main process
	ExitCode       *int        `json:"exitCode,omitempty"`       // exit code of the main process; 128+n after signal n
	Signal         string      `json:"signal,omitzero"`          // signal that ended the main process, such as SIGTERM
	ExitedAfterMs  *int64      `json:"exitedAfterMs,omitempty"`  // time from the start to the end of the main process
	DrainedAfterMs *int64      `json:"drainedAfterMs,omitempty"` // time from the start until all output was read
	TimedOut       bool        `json:"timedOut"`                 // its time limit ended it
	EndReason      string      `json:"endReason,omitzero"`       // what ended it: idle_limit or tether
	EndsWith       string      `json:"endsWith,omitzero"`        // what ends its sandbox, which ends with the call that started it, such as bwrap (pid 1 here)
	RestartAt      ledger.Time `json:"restartAt,omitzero"`       // of a restarting session: when it is started again
	ToldToEnd      bool        `json:"toldToEnd"`                // devtools kill or a similar request ended it
	Closed         bool        `json:"closed"`                   // the process tree has ended and the output is complete

	Ports      []list.Port    `json:"ports"`          // ports on which its processes listen
	Leftovers  []list.Process `json:"leftovers"`      // processes that outlived the main process when it ended
	Processes  []list.Process `json:"processes"`      // living processes, as trees
	Commands   []ranCommand   `json:"commandHistory"` // with NAME: the last ten commands that ended in its shell or REPL, oldest first; otherwise empty
	TotalCount int            `json:"totalCount"`     // number of living processes, with their children

	// EndedProcesses are the last processes of its tree that have ended, besides the main process: at most 50. They are there with --tree, and not with --everywhere.
	EndedProcesses []list.Process `json:"endedProcesses,omitzero"`
	EndedCount     int            `json:"endedCount,omitzero"` // with --tree: number of those that were seen; one that ends very soon is not always seen
	inputResult
}

// A ranCommand is a command that a shell or a REPL has run.
type ranCommand struct {
	CommandLine string      `json:"commandLine"`        // the line that the shell or REPL got
	By          string      `json:"by"`                 // what ran it: run --in or typed
	EndedAt     ledger.Time `json:"endedAt"`            // time of its end
	DurationMs  int64       `json:"durationMs"`         // time from its start to its end
	ExitCode    *int        `json:"exitCode,omitempty"` // its exit code, where it is known
	Signal      string      `json:"signal,omitzero"`    // signal that ended the shell with it
}

// lastCommands is how many commands ps tells of a session.
const lastCommands = 10

// takeCommands fills in the last commands of each session. It reads the log once, from the start of the oldest session on.
func (r *psResult) takeCommands(dir ledger.Dir) error {
	byID := map[string]*sessionResult{}
	since := time.Now()
	for i := range r.Sessions {
		s := &r.Sessions[i]
		byID[s.SessionID] = s
		if s.StartedAt.Before(since) {
			since = s.StartedAt.Time
		}
	}
	for e, err := range dir.RanSince(since.Add(-time.Second)) {
		if isMissing(err) { // the log was removed
			return nil
		}
		if err != nil {
			return err
		}
		if s := byID[e.SessionID]; s != nil && e.DurationMs != nil {
			s.Commands = append(s.Commands, ranCommand{e.Cmd, e.By, e.TS, *e.DurationMs, e.ExitCode, e.Signal})
			s.Commands = s.Commands[max(0, len(s.Commands)-lastCommands):]
		}
	}
	return nil
}

// An askedResult is an open request to a person.
type askedResult struct {
	Message string      `json:"message"` // what the person is asked to do
	AskedAt ledger.Time `json:"askedAt"` // time of the request
}

// newPsResult returns the form of a listing with --json.
func newPsResult(l psListing) psResult {
	r := psResult{Sessions: []sessionResult{}, Active: l.Active, Orphaned: l.Orphaned, Missing: l.Missing, SilentHolders: l.Silent}
	if l.Declared != nil {
		r.Missing = append(l.Declared, l.Missing...)
	}
	if l.Misread != nil {
		r.MissingError = l.Misread.Error()
	}
	for _, s := range l.Sessions {
		r.Sessions = append(r.Sessions, newSessionResult(s))
	}
	return r
}

func newSessionResult(s list.Listed) sessionResult {
	r := sessionResult{
		Name: s.Name, SessionID: s.ID, Status: s.Status,
		Command: s.Command, CommandLine: s.CommandLine, TerminalName: s.TerminalName,
		PID: s.PID, RootPID: s.PID, ParentPID: s.ParentPID, HolderPID: s.Holder.PID, TetherPID: s.Tether.PID,
		Cwd: s.Cwd, Size: s.Size, StartSize: s.StartSize, Scrollback: wire.Scrollback(s.Session),
		Title: s.Title, Labels: labelsOf(s.Session), Asks: []askedResult{}, StatePath: s.StatePath, StateRemoved: s.Removed, Log: s.Log, NoRecord: s.NoRecord, Secrets: append([]string{}, s.Secrets...), Isolation: s.Isolation,
		StartedAt: s.StartedAt, AgeMs: s.AgeMs, IdleMs: s.IdleMs,
		CPUPercent: s.CPUPercent, MemoryBytes: s.MemoryBytes,
		OutputBytes: s.OutputBytes, LostBytes: s.LostBytes, OutputBytesPerSecond: s.OutputBytesPerSecond,
		EndedAt: s.EndedAt, ExitCode: s.ExitCode, Signal: s.Signal,
		TimedOut: s.TimedOut, EndReason: s.EndReason, EndsWith: s.EndsWith, ToldToEnd: s.ToldToEnd, RestartAt: s.RestartAt, Closed: s.Closed,
		Ports: s.Ports, Leftovers: list.Leftovers(s.Session),
		Processes: s.Processes, Commands: []ranCommand{}, TotalCount: len(list.Flatten(nil, s.Processes)), EndedProcesses: s.Past, EndedCount: s.PastCount,
		inputResult: newInputResult(s.InputState),
	}
	for _, a := range s.Asks {
		r.Asks = append(r.Asks, askedResult{a.Message, a.Since})
	}
	if s.Ended() {
		r.ExitedAfterMs, r.DrainedAfterMs = &s.ExitedAfterMs, &s.DrainedAfterMs
	}
	return r
}

// labelsOf returns the labels of a session, never nil.
func labelsOf(s ledger.Session) map[string]string {
	if s.Labels == nil {
		return map[string]string{}
	}
	return s.Labels
}
