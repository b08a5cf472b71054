package wire

import (
	"slices"

	"devtools/runner/proc"
)

// A Waiting says that a command waits for its terminal and for nothing else: what it asks, for what kind of answer, and
// how that is known.
type Waiting struct {
	Kind       string   `json:"kind"`       // password, confirm, line, choice, repl, pager, editor, tui or key
	Prompt     string   `json:"prompt"`     // what a person reads at the cursor, of several lines where the question is
	PID        int      `json:"pid"`        // of the process that reads
	Command    string   `json:"command"`    // its name
	Canonical  bool     `json:"canonical"`  // it reads lines, that Enter ends
	Echo       bool     `json:"echo"`       // the terminal shows what is typed
	Secret     bool     `json:"secret"`     // what is typed is not to be shown
	Drawn      bool     `json:"drawn"`      // the program draws all over the screen: it takes keys, not a line
	Confidence string   `json:"confidence"` // certain, high, medium or heuristic
	Evidence   []string `json:"evidence"`   // what was seen
}

// An InputState is what can be expected of a command that goes on: that it waits for input, or why not.
type InputState struct {
	Waiting      *Waiting `json:"waiting,omitempty"`
	AcceptsInput bool     `json:"acceptsInput,omitzero"` // it reads the terminal, among other things

	// Reason is what the kernel's evidence comes to: how it is blocked when it waits, such as blocked_read or
	// poll_tty_only; server_idle, watch_idle or relay_remote for what reads the terminal beside other things; and
	// not_reading, stopped_foreground, stopped_sigttin or uninspectable.
	Reason string `json:"reason,omitzero"`
}

// Confidences are the confidences of a verdict, the best first.
var Confidences = []string{string(proc.Certain), string(proc.High), string(proc.Medium), string(proc.Heuristic)}

// AtLeast reports whether a confidence is as good as least, of which "" is any.
func AtLeast(confidence, least string) bool {
	return least == "" || slices.Index(Confidences, confidence) <= slices.Index(Confidences, least)
}
