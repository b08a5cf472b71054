package commands

import (
	"devtools/runner"
	"devtools/runner/list"
	"devtools/runner/proc"
)

// A killResult is the output of kill --json and kill-orphans --json.
type killResult struct {
	Killed    []int          `json:"killed"`            // processes that were signalled and are gone
	Signalled []int          `json:"signalled"`         // processes that got a signal alone
	Failed    []int          `json:"failed"`            // processes that still run, or did not get a signal alone
	Failures  []killFailure  `json:"failures"`          // why the processes in failed still run, or did not get it
	Orphaned  []list.Process `json:"orphaned,omitzero"` // with --dry-run: processes that would be ended
	OpenPorts []openPort     `json:"openPorts"`         // ports of the ended processes that still have a listener
	Errors    []errorDetail  `json:"errors"`            // what else went wrong, such as a name that no session has

	NotRestarted []string `json:"notRestarted"` // sessions that waited to be started again after a failure, and do not any more

	Wait *waitResult `json:"wait,omitempty"` // with --wait: what came of the wait

	ended []string // names and ids of the sessions to end
}

func (r killResult) about() []string { return r.ended }

// A killFailure says why a process still runs, or did not get a signal alone.
type killFailure struct {
	PID    int    `json:"pid"`           // the process
	Reason string `json:"reason"`        // why it still runs, or did not get the signal: not_permitted, still_alive, protected, uninterruptible or not_signalled
	Hint   string `json:"hint,omitzero"` // what to do
}

// An openPort is a TCP port that still has a listener. The listener is a process that has inherited the socket.
type openPort struct {
	Port int    `json:"port"`          // number of the port
	PID  int    `json:"pid,omitzero"`  // process that listens, if the system tells
	Name string `json:"name,omitzero"` // name of that process
}

// newKillResult returns the form of an ending with --json. err is what went wrong besides the failures.
func newKillResult(e runner.KillResult, err error, about []string) killResult {
	r := killResult{
		Killed: append([]int{}, e.Killed...), Signalled: append([]int{}, e.Signalled...), Failed: []int{}, Failures: []killFailure{},
		Orphaned: e.Orphaned, OpenPorts: []openPort{}, Errors: errorDetails(err), NotRestarted: append([]string{}, e.NotRestarted...), ended: about,
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
