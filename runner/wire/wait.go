package wire

import "devtools/ledger"

// A WaitRequest says what a client waits for.
type WaitRequest struct {
	Until     []string `json:"until"`
	All       bool     `json:"all,omitzero"` // each of Until must have come true, not any
	Fail      []string `json:"fail,omitempty"`
	TimeoutMs int64    `json:"timeoutMs,omitzero"` // 0 is never
}

// A WaitAnswer is how the waiting ended.
type WaitAnswer struct {
	Met        []string        `json:"met,omitempty"`
	Match      string          `json:"match,omitzero"`  // what the text was
	Failed     string          `json:"failed,omitzero"` // the condition of Fail that came true
	Ended      bool            `json:"ended,omitzero"`  // the program ended before
	TimedOut   bool            `json:"timedOut,omitzero"`
	Notes      []string        `json:"notes,omitempty"` // why a condition has not come true
	Session    *ledger.Session `json:"session,omitempty"`
	InputState *InputState     `json:"outlook,omitempty"` // when input was waited for, or the time is over
}
