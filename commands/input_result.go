package commands

import (
	"cmp"
	"strings"

	"devtools/runner/proc"
	"devtools/runner/wire"
)

// An inputResult says in a result what a command does about input.
type inputResult struct {
	Waiting      *waitingResult `json:"waiting"`      // what the command waits for; null if it does not wait for input
	AcceptsInput bool           `json:"acceptsInput"` // the command reads the terminal, among other things

	// InputReason sums up the kernel's evidence. A waiting command has the way it is blocked, such as blocked_read or
	// poll_tty_only. Others have a word such as server_idle, not_reading or stopped_sigttin. A suffix says what else goes
	// on. devtools-run(1) explains all of them. It is absent if nobody looked.
	InputReason string `json:"inputReason,omitzero"`
}

// A waitingResult says that a command waits for input, from its terminal or a pipe, and for nothing else.
type waitingResult struct {
	Kind        string   `json:"kind"`        // kind of answer: password, confirm, line, choice, repl, pager, editor, tui or key
	Prompt      string   `json:"prompt"`      // text that a person reads at the cursor; all lines of the question
	PID         int      `json:"pid"`         // process that reads the terminal
	CommandLine string   `json:"commandLine"` // command line of that process; its name if the system does not tell more
	Canonical   bool     `json:"canonical"`   // the program reads lines, which Enter ends
	Echo        bool     `json:"echo"`        // the terminal shows typed text
	Secret      bool     `json:"secret"`      // typed text must not be shown
	Drawn       bool     `json:"drawn"`       // the program draws the screen or a menu and takes keys, not a line
	Confidence  string   `json:"confidence"`  // how sure this is: certain, high, medium or heuristic
	Evidence    []string `json:"evidence"`    // observations that lead to this verdict

	wire.Details
}

// newInputResult returns the form of an input state in a result.
func newInputResult(in wire.InputState) inputResult {
	r := inputResult{AcceptsInput: in.AcceptsInput, InputReason: in.Reason}
	if w := in.Waiting; w != nil {
		r.Waiting = &waitingResult{
			Kind: w.Kind, Prompt: w.Prompt, PID: w.PID,
			CommandLine: cmp.Or(w.CommandLine, strings.Join(proc.CommandLine(w.PID), " "), w.Command),
			Canonical:   w.Canonical, Echo: w.Echo, Secret: w.Secret, Drawn: w.Drawn,
			Confidence: w.Confidence, Evidence: append([]string{}, w.Evidence...), Details: w.Details,
		}
	}
	return r
}

// prompt returns the question of a waiting command, or "".
func (r inputResult) prompt() string {
	if r.Waiting == nil {
		return ""
	}
	return r.Waiting.Prompt
}
