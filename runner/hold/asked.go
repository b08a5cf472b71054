package hold

import (
	"slices"
	"strings"

	"devtools/ledger"
	"devtools/runner/prompt"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// A loggedQuestion is the question of the last event EventAsks.
type loggedQuestion struct {
	*wire.Waiting     // nil after EventAnswered
	row           int // of the cursor, counted from the start of the output
	inputs        int // number of inputs before it
}

// logAsked logs that the program asks, or no longer waits for the answer, from the result of a look. Nobody looks for the log's sake. In
// shells, editors and programs that use the whole screen somebody works: that they wait is no question.
func (qs *questions) logAsked(s *probeResult) {
	asks, logged := s.waits() && !slices.Contains([]prompt.Kind{prompt.REPL, prompt.Editor, prompt.TUI}, prompt.Kind(s.waiting.Kind)), &qs.logged
	if asks && logged.is(s) || !asks && !s.settled() {
		return
	}
	if logged.Waiting != nil && logged.inputs != s.typed.count() {
		qs.shell.logEvent(track.StateEvent(ledger.EventAnswered, qs.session, logged.Kind, ""))
		logged.Waiting = nil
	}
	if !asks {
		return
	}
	*logged = loggedQuestion{s.waiting, s.picture.cursorRow(), s.typed.count()}
	e := track.StateEvent(ledger.EventAsks, qs.session, s.waiting.Kind, s.waiting.Prompt)
	if qs.spec.NoRecord {
		e.Reason = "" // it is output
	}
	qs.shell.logEvent(e)
}

// is reports whether a look shows the question again. A program that reads keys is given a part of the answer with each of them.
func (l loggedQuestion) is(s *probeResult) bool {
	if l.Waiting == nil || l.PID != s.waiting.PID || l.Kind != s.waiting.Kind {
		return false
	}
	if l.inputs == s.typed.count() {
		return l.Drawn || strings.HasPrefix(s.waiting.Prompt, l.Prompt)
	}
	return !s.waiting.Canonical && l.row == s.picture.cursorRow()
}
