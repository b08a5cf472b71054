package commands

import (
	"bytes"
	"cmp"
	"errors"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"devtools/ledger"
	"devtools/runner/guard"
	"devtools/runner/proc"
	"devtools/runner/wire"
	"devtools/screen"
	"devtools/stack/line"
)

// The reasons why nobody knows what a typed line does.
const (
	changedReason = "keys have changed the line, or it is too long, so that devtools does not know what it says"
	historyReason = "a shell may put an earlier command in the place of ! or ^"
)

// A reader is what reads the text that is typed into a session.
type reader struct {
	program  string // its name
	shell    bool   // it is a shell
	atPrompt bool   // the shell has the keyboard; otherwise a program has it, and the shell may be next
	history  bool   // the shell puts earlier commands into a line, for a ! in it: bash(1), HISTORY EXPANSION
}

// readerOf returns what reads the text that is typed into a session now.
func readerOf(s ledger.Session) reader {
	r := readerFor(s.Command)
	info, err := proc.Read(s.Main.PID)
	r.atPrompt = r.shell && (err != nil || info.Foreground <= 0 || info.Foreground == info.Group)
	return r
}

// readerFor returns what reads the input of a command: a shell that asks for lines, or another program.
func readerFor(command []string) (r reader) {
	if len(command) == 0 {
		return r
	}
	r.program = filepath.Base(command[0])
	if kind, _, _ := wire.ShellOf(command); kind != "" {
		r.shell, r.program = true, filepath.Base(command[wire.ShellIndex(command)])
		row, _ := line.Known(r.program)
		r.history = row.Has("history")
	}
	return r
}

// calls returns the calls that typing some texts is.
func (r reader) calls(call guard.Call, texts ...string) (calls []guard.Call) {
	call.Shell, call.Moved = r.program, call.Moved || r.shell && !r.atPrompt
	if !r.shell {
		call.Shell = cmp.Or(r.program, "a program")
	}
	for _, text := range texts {
		reason, one := "", call
		if one.Line = strings.ReplaceAll(text, unknownLine, ":"); one.Line != text {
			reason = changedReason
		} else if r.history && r.atPrompt && line.Expands(text) {
			reason = historyReason
		}
		calls = append(calls, one)
		if reason != "" && r.shell {
			one.Unknown = reason
			calls = append(calls, one)
		}
	}
	return calls
}

// typeCalls returns the calls that keys are, behind what was typed before and not ended. Lines that were ended before may belong to the
// same command: the shell gets the new text behind them, or by itself.
func (r reader) typeCalls(call guard.Call, before []byte, k wire.Keys) []guard.Call {
	calls := r.calls(call, r.texts(before, k)...)
	if end := bytes.LastIndexAny(before, "\r\n") + 1; end > 0 && !r.readsOn(before[:end]) {
		calls = append(calls, r.calls(call, r.texts(before[end:], k)...)...)
	}
	if len(before) >= wire.MaxHalfLine { // its beginning is not known
		calls = append(calls, r.calls(call, unknownLine)...)
	}
	return calls
}

// readsOn reports whether a shell is sure to take what follows some lines as a part of the same command, such as the text of a
// here-document: it has got all of them at its prompt since the last C-c, and no key but Enter has changed or ended anything.
func (r reader) readsOn(lines []byte) bool {
	if !r.atPrompt || r.program == wire.ShellFish {
		return false
	}
	const interrupt, quotedInsert = "\x03", "\x16"
	text := strings.ReplaceAll(string(lines[bytes.LastIndex(lines, []byte(interrupt))+1:]), "\r", "\n")
	control := func(c rune) bool { return c < ' ' && c != '\n' || c == 0x7f }
	return !strings.ContainsFunc(text, control) && !bytes.Contains(lines, []byte(quotedInsert)) && line.Waits(text)
}

// unknownLine stands in a text for a line of which nothing is known.
const unknownLine = "\x00"

// texts returns what keys type behind the beginning of a line, as the lines that the program gets: one text, and another one behind
// each key that ends a command or the input. In a shell, a key that only it understands makes a line unknown.
func (r reader) texts(before []byte, k wire.Keys) (texts []string) {
	strokes, err := k.Strokes()
	pieces, err2 := k.Pieces(strokes, screen.Modes{})
	if errors.Join(err, err2) != nil {
		return []string{unknownLine}
	}
	data := string(before)
	for _, p := range pieces {
		data += string(p.Data)
	}
	var lines []string
	typed, changed := []byte(nil), false
	end := func() {
		if changed {
			typed = []byte(unknownLine)
		}
		lines, typed, changed = append(lines, string(typed)), nil, false
	}
	for data != "" {
		n := 1
		switch c := data[0]; {
		case c == '\r', c == '\n':
			end()
		case c == '\x7f', c == '\b':
			_, last := utf8.DecodeLastRune(typed)
			typed = typed[:len(typed)-last]
		case c == '\x15': // C-u
			typed = nil
		case c == '\x04' && len(typed) > 0: // C-d ends the input only where no line was begun
		case c == '\x03', c == '\x04', c == wire.NotToShell: // C-c, C-d, and a signal
			texts = append(texts, strings.Join(lines, "\n"))
			lines, typed, changed = nil, nil, false
		case c == '\x17': // C-w
			typed = typed[:strings.LastIndexAny(strings.TrimRight(string(typed), " "), " ")+1]
		case c == '\t' && r.shell && len(typed) > 0: // the shell completes the word
			typed = append(typed, '*')
		case c == '\x0c', c == '\t': // C-l only draws
		case c == '\x1b': // it begins a key
			rest := strings.TrimLeft(data[1:], "[O;0123456789")
			_, n = utf8.DecodeRuneInString(rest)
			n += len(data) - len(rest)
			changed = r.shell
		case c < ' ':
			changed = r.shell
		default:
			_, n = utf8.DecodeRuneInString(data)
			typed = append(typed, data[:n]...)
		}
		data = data[n:]
	}
	end()
	return append(texts, strings.Join(lines, "\n"))
}

// shellProgram returns the program of the shell that a session runs, or "" if it does not run one.
func shellProgram(s ledger.Session) string {
	if r := readerFor(s.Command); r.shell {
		return r.program
	}
	return ""
}

// recordOf returns the record of the living session name, or what the active set has of it if the record cannot be read. living is
// false if there is no such session.
func recordOf(dir ledger.Dir, name string) (s ledger.Session, living bool) {
	if s, living = dir.Living(name); living {
		if record, err := dir.LoadSession(s.ID); err == nil {
			s = record
		}
	}
	return s, living
}

// presentFolder returns the working directory of a session's main process now, or "" if it is not known.
func presentFolder(s ledger.Session) string {
	if s.Main.PID == 0 { // it is to be started
		return s.Cwd
	}
	return proc.WorkingDirectory(s.Main.PID)
}
