package commands

import (
	"devtools/runner"
	"devtools/runner/list"
	"devtools/runner/proc"
)

// A killResult is the output of kill --json and kill-orphans --json.
type killResult struct {
	Killed    []int          `json:"killed"`            // processes that were signalled and are gone
	Failed    []int          `json:"failed"`            // processes that still run
	Failures  []killFailure  `json:"failures"`          // why the processes in failed still run
	Orphaned  []list.Process `json:"orphaned,omitzero"` // with --dry-run: processes that would be ended
	OpenPorts []openPort     `json:"openPorts"`         // ports of the ended processes that still have a listener
	Errors    []errorDetail  `json:"errors"`            // what else went wrong, such as a name that no session has
}

// A killFailure says why a process still runs.
type killFailure struct {
	PID    int    `json:"pid"`           // the process
	Reason string `json:"reason"`        // why it still runs: not_permitted, still_alive, protected, uninterruptible or not_signalled
	Hint   string `json:"hint,omitzero"` // what to do
}

// An openPort is a TCP port that still has a listener. The listener is a process that has inherited the socket.
type openPort struct {
	Port int    `json:"port"`          // number of the port
	PID  int    `json:"pid,omitzero"`  // process that listens, if the system tells
	Name string `json:"name,omitzero"` // name of that process
}

// newKillResult returns the form of an ending with --json. err is what went wrong besides the failures.
func newKillResult(e runner.KillResult, err error) killResult {
	r := killResult{
		Killed: append([]int{}, e.Killed...), Failed: []int{}, Failures: []killFailure{},
		Orphaned: e.Orphaned, OpenPorts: []openPort{}, Errors: errorDetails(err),
	}
	for _, f := range e.Failed {
		r.Failed = append(r.Failed, f.PID)
		r.Failures = append(r.Failures, newKillFailure(f))
	}
	for _, o := range e.OpenPorts {
		r.OpenPorts = append(r.OpenPorts, openPort(o))
	}
	return r
}

func newKillFailure(f proc.Failure) killFailure {
	return killFailure{PID: f.PID, Reason: f.Reason, Hint: f.Hint}
}
