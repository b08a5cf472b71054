package wire

import (
	"slices"

	"devtools/runner/blocked"
	"devtools/runner/prompt"
)

// A Waiting says that a command waits for its terminal and for nothing else. It has the question, the kind of answer
// and the evidence.
type Waiting struct {
	Kind    string `json:"kind"`    // password, confirm, line, choice, repl, pager, editor, tui or key
	Prompt  string `json:"prompt"`  // text that a person reads at the cursor; all lines of the question
	PID     int    `json:"pid"`     // process that reads the terminal
	Command string `json:"command"` // name of that process

	// CommandLine is its command line, if the session has secrets. Otherwise clients read it from the system.
	CommandLine string `json:"commandLine,omitzero"`

	Canonical  bool     `json:"canonical"`  // the program reads lines, which Enter ends
	Echo       bool     `json:"echo"`       // the terminal shows typed text
	Secret     bool     `json:"secret"`     // typed text must not be shown
	Drawn      bool     `json:"drawn"`      // the program draws the screen or a menu and takes keys, not a line
	Confidence string   `json:"confidence"` // certain, high, medium or heuristic
	Evidence   []string `json:"evidence"`   // observations that lead to this verdict

	Details
}

// Details are what the screen says about the answer to a question.
type Details = prompt.Details

// An InputState says what a running command does about input: that it waits for input, or why it does not.
type InputState struct {
	Waiting      *Waiting `json:"waiting,omitempty"`
	AcceptsInput bool     `json:"acceptsInput,omitzero"` // the program reads the terminal, among other things

	// Reason sums up the kernel's evidence. A waiting program has the way it is blocked, such as blocked_read or
	// poll_tty_only. Others have a word such as server_idle, not_reading or stopped_sigttin. A suffix says what else goes
	// on. devtools-run(1) explains all of them.
	Reason string `json:"reason,omitzero"`
}

// Confidences lists the confidences of a verdict, from the best down.
var Confidences = []string{string(blocked.Certain), string(blocked.High), string(blocked.Medium), string(blocked.Heuristic)}

// AtLeast reports whether a confidence is as good as least. Every confidence is as good as "".
func AtLeast(confidence, least string) bool {
	return least == "" || slices.Index(Confidences, confidence) <= slices.Index(Confidences, least)
}
