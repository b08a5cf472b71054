package wire

import "time"

// The requests about the shell of a session.
const (
	OpShell       = "shell"       // have it run the text Data; when it runs: Run, Offset
	OpShellFollow = "shellFollow" // when the output of Run has grown beyond Offset: Next; when it is over: Closed, Shell
	OpShellSignal = "shellSignal" // send Signal to what runs in front for Run
)

// A ShellResult is what became of a command in the shell of a session.
type ShellResult struct {
	ExitCode int           `json:"exitCode"`
	Signal   string        `json:"signal,omitzero"`   // that ended the shell
	Pipeline []int         `json:"pipeline,omitzero"` // exit codes of the stages of the last pipeline, where they are known
	Offset   int64         `json:"offset"`            // where its output begins
	Next     int64         `json:"next"`              // and ends
	Cwd      string        `json:"cwd,omitzero"`      // of the shell afterwards
	Duration time.Duration `json:"duration"`
	Ended    bool          `json:"ended,omitzero"` // the shell has ended with it
}
