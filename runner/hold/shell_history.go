package hold

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"devtools/ledger"
	"devtools/runner/track"
	"devtools/runner/wire"
	"devtools/screen"
)

// A typedCommand is a command that was typed at the prompt of an integrated shell. The shell has told the line.
type typedCommand struct {
	line    string // "" for none, and where the line is not known
	began   time.Time
	from    int64  // offset at which its prompt begins
	at      int64  // offset at which its prompt ends
	to      int64  // offset at which its output begins
	entry   int    // number of the line in bash's history; 0 if it is not there, or this is not certain
	entered int64  // when its first line was entered, in seconds since 1970
	shown   string // what the terminal has shown behind the prompt, if bash has added nothing: entry may be the same line, which came before
}

// is reports whether an entry of bash's history is the line. The time keeps away an entry that has the number but was made otherwise, as
// by an editor for the line. readline shows a line as it is, if nothing in it was corrected; the mode that it then switches off is 2004.
func (t typedCommand) is(e historyEntry) bool {
	if t.shown != "" {
		return e.number == t.entry && strings.TrimSuffix(t.shown, "\x1b[?2004l\r") == e.line+"\r\n"
	}
	return e.number == t.entry && t.entered-1 <= e.time && e.time <= t.entered+1
}

// A lineBefore is what bash has said about a line before it runs.
type lineBefore struct {
	next    int   // number that the line gets, if bash puts it into its history; 0 if unknown
	at      int64 // offset at which the terminal shows it
	entered int64 // when the first of several lines was entered, in seconds since 1970
}

// enters notes the time at which the first line was entered, as the mark says.
func (l *lineBefore) enters(m shellMark) {
	if l.entered == 0 {
		l.entered = m.time
	}
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

// typedStarts notes the line of a command that was typed, or what tells it later: whether bash has added it to its history since the prompt.
func (s *shell) typedStarts(m shellMark) {
	line := s.line
	s.line = lineBefore{} // what begins next without a prompt was pasted with it, and has no end of its own
	s.typed = typedCommand{line: m.typed, began: time.Now(), from: s.promptAt, at: max(line.at, s.promptAt), to: m.begin}
	switch {
	case m.run != 0 || line.next == 0:
	case m.history == line.next+1:
		line.enters(m)
		s.typed.entry, s.typed.entered = line.next, line.entered
	case m.history == line.next: // it may repeat the line before it
		s.typed.entry, s.typed.shown = line.next-1, s.outputBetween(line.at, m.begin)
	}
}

// maxTyped is how many characters a line has at most that bash tells.
const maxTyped = 900

// learnTyped finds the line of a command of bash that is over, in what bash has written of its history.
func (s *shell) learnTyped(m shellMark) {
	if s.integration == nil || s.history == nil || m.written == 0 {
		return
	}
	e, ok := s.history.entry(m.written)
	if !ok || !s.typed.is(e) {
		return
	}
	odd := func(r rune) bool { return unicode.IsControl(r) && r != '\n' }
	if !utf8.ValidString(e.line) || strings.ContainsFunc(e.line, odd) || strings.HasPrefix(e.line, " ") || utf8.RuneCountInString(e.line) > maxTyped {
		return
	}
	s.typed.line = e.line
}

// typedEnds logs the end of a command that was typed, if the terminal has shown its line. A code of -1 is not known.
func (s *shell) typedEnds(code int, signal string) {
	typed := s.typed
	s.typed = typedCommand{}
	if typed.line == "" || !s.showed(typed) {
		return
	}
	e := track.RanEvent(s.session, ledger.ByTyped, typed.line, time.Since(typed.began))
	if e.Signal = signal; code >= 0 {
		e.ExitCode = &code
	}
	s.logCommand(e)
}

// maxShownRows is how many rows above the screen a typed line may have.
const maxShownRows = 1000

// showed reports whether the terminal has shown a line behind its prompt before its command began: its letters and digits, row by row.
// A shell that edits the line itself shows nothing of it if the terminal did not echo before. Between the rows there may be other
// prompts. Of a line without letters and digits this is not known.
func (s *shell) showed(t typedCommand) bool {
	terminal := wire.NewTerminal(s.session.Size, maxShownRows)
	letters := func(from, to int64) (text string) {
		_, _ = terminal.Write([]byte(s.outputBetween(from, to)))
		picture := terminal.Snapshot(screen.View{First: -maxShownRows, Last: screen.MaxRows})
		for i := range picture.Lines {
			text += lettersOf(picture.Text(i, true))
		}
		return text
	}
	prompt := letters(t.from, t.at)
	text := strings.TrimPrefix(letters(max(t.at, t.to-maxRedrawn), t.to), prompt)
	line := s.masks.String(t.line) // in the output, secrets are masked too
	for row := range strings.Lines(line) {
		if !strings.Contains(text, lettersOf(row)) {
			return false
		}
	}
	return lettersOf(line) != ""
}

// lettersOf returns the letters and digits of a text.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// logCommand logs the end of a command. A session without a record has its commands in no file.
func (s *shell) logCommand(e ledger.Event) {
	if e.Cmd = s.masks.String(e.Cmd); !s.spec.NoRecord {
		s.logEvent(e)
	}
}
