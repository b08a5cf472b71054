package hold

import (
	"strings"
	"time"
	"unicode/utf8"

	"devtools/ledger"
	"devtools/runner/track"
)

// A typedCommand is a command that was typed at the prompt of an integrated shell. The shell has told the line.
type typedCommand struct {
	line  string // "" for none, and where the line is not known
	began time.Time
}

// logRun logs the end of a command of run --in.
func (s *shell) logRun(run *shellRun) {
	if !run.begun || run.result.Incomplete {
		return
	}
	text := strings.ToValidUTF8(string(run.call.request.Data), string(utf8.RuneError))
	e := track.RanEvent(s.session, ledger.ByRunIn, text, run.result.Duration)
	e.Signal = run.result.Signal
	if run.repl == nil || run.result.Ended {
		e.ExitCode = &run.result.ExitCode
	}
	s.logCommand(e)
}

// typedStarts notes the line of a command that was typed.
func (s *shell) typedStarts(m shellMark) { s.typed = typedCommand{m.typed, time.Now()} }

// typedEnds logs the end of a command that was typed. A code of -1 is not known.
func (s *shell) typedEnds(code int, signal string) {
	if s.typed.line == "" {
		return
	}
	e := track.RanEvent(s.session, ledger.ByTyped, s.typed.line, time.Since(s.typed.began))
	s.typed = typedCommand{}
	if e.Signal = signal; code >= 0 {
		e.ExitCode = &code
	}
	s.logCommand(e)
}

// logCommand logs the end of a command. A session without a record has its commands in no file.
func (s *shell) logCommand(e ledger.Event) {
	if e.Cmd = s.masks.String(e.Cmd); !s.spec.NoRecord {
		s.logEvent(e)
	}
}
