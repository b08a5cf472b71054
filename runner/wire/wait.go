package wire

import "devtools/ledger"

// A WaitRequest says what a client waits for.
type WaitRequest struct {
	Until     []string `json:"until"`
	All       bool     `json:"all,omitzero"` // all conditions of Until must come true, not just one
	Fail      []string `json:"fail,omitempty"`
	FromStart bool     `json:"fromStart,omitzero"` // text counts that the session has shown since its start
	OnlyNew   bool     `json:"onlyNew,omitzero"`   // text counts only that the session prints from now on
	TimeoutMs int64    `json:"timeoutMs,omitzero"` // 0: no time limit
}

// A WaitAnswer says how the wait ended.
type WaitAnswer struct {
	Met        []string        `json:"met,omitempty"`
	Match      string          `json:"match,omitzero"`  // text that matched
	Failed     string          `json:"failed,omitzero"` // condition of Fail that came true
	Ended      bool            `json:"ended,omitzero"`  // the program ended before the conditions came true
	TimedOut   bool            `json:"timedOut,omitzero"`
	Notes      []string        `json:"notes,omitempty"` // why a condition has not come true
	AtNs       int64           `json:"atNs,omitzero"`   // when the wait came to its end, Unix ns; 0 from an older holder
	Session    *ledger.Session `json:"session,omitempty"`
	InputState *InputState     `json:"outlook,omitempty"` // set when the wait was for input, or when the time is over
}
