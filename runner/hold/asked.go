package hold

import (
	"slices"
	"strings"

	"devtools/ledger"
	"devtools/runner/prompt"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// A toldQuestion is the question of the last event EventAsks.
type toldQuestion struct {
	*wire.Waiting     // nil after EventAnswered
	row           int // of the cursor, counted from the start of the output
	inputs        int // number of inputs before it
}

// logAsked logs that the program asks, or no longer waits for the answer, from the result of a look. Nobody looks for the log's sake. In
// shells, editors and programs that use the whole screen somebody works: that they wait is no question.
func (qs *questions) logAsked(s *probeResult) {
	asks, told := s.waits() && !slices.Contains([]prompt.Kind{prompt.REPL, prompt.Editor, prompt.TUI}, prompt.Kind(s.waiting.Kind)), &qs.told
	if asks && told.is(s) || !asks && !s.settled() {
		return
	}
	if told.Waiting != nil && told.inputs != s.typed.count() {
		qs.shell.logEvent(track.StateEvent(ledger.EventAnswered, qs.session, told.Kind, ""))
		told.Waiting = nil
	}
	if !asks {
		return
	}
	*told = toldQuestion{s.waiting, s.picture.cursorRow(), s.typed.count()}
	e := track.StateEvent(ledger.EventAsks, qs.session, s.waiting.Kind, s.waiting.Prompt)
	if qs.spec.NoRecord {
		e.Reason = "" // it is output
	}
	qs.shell.logEvent(e)
}

// is reports whether a look shows the question again. A program that reads keys is given a part of the answer with each of them.
func (t toldQuestion) is(s *probeResult) bool {
	if t.Waiting == nil || t.PID != s.waiting.PID || t.Kind != s.waiting.Kind {
		return false
	}
	if t.inputs == s.typed.count() {
		return t.Drawn || strings.HasPrefix(s.waiting.Prompt, t.Prompt)
	}
	return !s.waiting.Canonical && t.row == s.picture.cursorRow()
}
