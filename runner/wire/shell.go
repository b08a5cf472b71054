package wire

import "time"

// The requests about the shell of a session. The comments are as for the other requests.
const (
	// OpShell has the shell run the text Data. With REPL, another program that waits at a prompt may run it, too.
	// The answer comes when the command runs: Run, Offset, and Shell as far as it is known.
	OpShell = "shell"
	// OpShellWith is OpShell, with the variables Env and the directory Cwd for this command alone.
	OpShellWith = "shellWith"
	// OpShellFollow waits until the output of Run has grown beyond Offset. Answer: Next. When the command is over,
	// the answer is Closed and Shell.
	OpShellFollow = "shellFollow"
	// OpShellSignal sends Signal to the foreground process group of Run.
	OpShellSignal = "shellSignal"
	// OpShellWithdraw gives up the command of this client that has not begun. Its OpShell gets its answer: the command has begun
	// all the same, or will not. The end of the connection does the same.
	OpShellWithdraw = "shellWithdraw"
)

// A ShellResult is what became of a command in the shell of a session.
type ShellResult struct {
	ExitCode int           `json:"exitCode"`
	Signal   string        `json:"signal,omitzero"`   // signal that ended the shell
	Pipeline []int         `json:"pipeline,omitzero"` // exit codes of the stages of the last pipeline, where they are known
	Offset   int64         `json:"offset"`            // beginning of its output
	Next     int64         `json:"next"`              // end of its output
	Cwd      string        `json:"cwd,omitzero"`      // working directory of the shell afterwards
	Duration time.Duration `json:"duration"`
	Ended    bool          `json:"ended,omitzero"` // the shell has ended with the command

	REPL       bool `json:"repl,omitzero"`       // a REPL has run it: there is no exit code
	Incomplete bool `json:"incomplete,omitzero"` // the REPL wanted more of it, and it was dropped
}
