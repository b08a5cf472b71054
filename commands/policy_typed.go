package commands

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"devtools/runner/guard"
	"devtools/runner/wire"
	"devtools/screen"
	"devtools/stack/line"
)

// The reasons why nobody knows what a typed line does.
const (
	changedReason = "keys have changed the line, or it is too long, so that devtools does not know what it says"
	historyReason = "a shell may put an earlier command in the place of ! or ^"
)

// calls returns a call for each text and each program that may read it.
func (r *readers) calls(call guard.Call, texts []string) (calls []guard.Call) {
	for _, text := range texts {
		if strings.Contains(text, guard.UnknownLine) {
			unknown := call
			unknown.Line, unknown.Shell, unknown.Unknown = strings.ReplaceAll(text, guard.UnknownLine, "…"), r.programs[0], changedReason
			calls = append(calls, unknown)
			text = strings.ReplaceAll(text, guard.UnknownLine, ":")
		}
		for _, program := range r.programs {
			call.Line, call.Shell = text, program
			calls = append(calls, call)
		}
		if !r.atPrompt {
			call.Line, call.Shell = escapedLines(text), someProgram
			if call.Line != "" {
				calls = append(calls, call)
			}
		}
		if r.expands(text) {
			unknown := call
			unknown.Line, unknown.Shell, unknown.Unknown = text, cmp.Or(r.shell, r.programs[0]), historyReason
			calls = append(calls, unknown)
		}
	}
	return calls
}

// texts returns what keys type behind what was typed before, as texts that the programs may get. Lines that were ended before may
// belong to the same command: the program gets the new text behind them, or by itself.
func (r *readers) texts(before []byte, k wire.Keys) []string {
	texts := typedTexts(before, k, r.atPrompt)
	if end := bytes.LastIndexAny(before, "\r\n") + 1; end > 0 && !r.readsOn(before[:end]) {
		texts = append(texts, typedTexts(before[end:], k, r.atPrompt)...)
	}
	if len(before) >= wire.MaxHalfLine { // its beginning is not known
		texts = append(texts, guard.UnknownLine)
	}
	return texts
}

// readsOn reports whether a shell is sure to take what follows some lines as a part of the same command, such as the text of a
// here-document: it has got all of them at its prompt since the last C-c, and no key but Enter has changed or ended anything.
func (r *readers) readsOn(lines []byte) bool {
	if !r.atPrompt || r.shell == wire.ShellFish {
		return false
	}
	const interrupt, quotedInsert = "\x03", "\x16"
	text := strings.ReplaceAll(string(lines[bytes.LastIndex(lines, []byte(interrupt))+1:]), "\r", "\n")
	control := func(c rune) bool { return c < ' ' && c != '\n' || c == 0x7f }
	return !strings.ContainsFunc(text, control) && !bytes.Contains(lines, []byte(quotedInsert)) && line.Waits(text).Open
}

// shellEscapes are what lines begin with that programs pass to a shell: less, vi, sqlite3, mysql, gdb.
var shellEscapes = []string{":!", "!", `\!`, ".shell ", ".system ", "shell ", "system "}

// escapedLines returns what lines pass to a shell, if a program reads them that has commands for that.
func escapedLines(text string) string {
	var lines []string
	for typed := range strings.SplitSeq(text, "\n") {
		typed = strings.TrimSpace(typed)
		for _, begin := range shellEscapes {
			if rest, ok := strings.CutPrefix(typed, begin); ok {
				lines = append(lines, strings.TrimLeft(rest, "!"))
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}

// expands reports whether a shell that reads a text may put earlier commands into it. It does not so in a here-document. While an
// interpreter waits for its next line, only what follows its end gets to a shell.
func (r *readers) expands(text string) bool {
	if !r.history {
		return false
	}
	lines := strings.Split(line.Waits(text).Commands, "\n")
	if r.interpreter {
		ends := func(l string) bool { return strings.Contains(l, "exit") || strings.Contains(l, "quit") }
		end := slices.IndexFunc(lines, ends)
		if end < 0 {
			return false
		}
		lines = lines[end:]
	}
	return slices.ContainsFunc(lines, expandsHistory)
}

// expandsHistory reports whether a shell may put an earlier command in the place of a part of a line: bash(1), HISTORY EXPANSION.
func expandsHistory(line string) bool {
	if strings.HasPrefix(line, "^") {
		return true
	}
	single, double := false, false
	for i := 0; i < len(line); i++ {
		rest := line[i+1:]
		switch c := line[i]; {
		case c == '\'' && !double:
			single = !single
		case single:
		case c == '\\':
			i++
		case c == '"':
			double = !double
		case c == '!' && rest != "" && !strings.ContainsRune(" \t=(", rune(rest[0])) && !(double && rest[0] == '"'):
			before := strings.TrimRight(line[:i], "{")
			if !strings.HasSuffix(before, "$") && !strings.HasSuffix(line[:i], "[") {
				return true
			}
		}
	}
	return false
}

// typedTexts returns what keys type behind the beginning of a line, as the lines that a shell may get. inShell says that a shell has
// the keyboard: then a key that changes the line, or takes one from its history, makes a line of which the text is not known. The
// texts after the first one are lines that a key may have erased: only the program knows that.
func typedTexts(before []byte, k wire.Keys, inShell bool) []string {
	strokes, err := k.Strokes()
	if err != nil {
		return []string{guard.UnknownLine}
	}
	pieces, err := k.Pieces(strokes, screen.Modes{})
	if err != nil {
		return []string{guard.UnknownLine}
	}
	t := typedLines{inShell: inShell}
	t.take(string(before))
	for _, p := range pieces {
		t.take(string(p.Data))
	}
	t.end()
	for _, begin := range slices.Compact(t.begins) {
		if begin > 0 {
			t.erased = append(t.erased, strings.Join(t.lines[begin:], "\n"))
		}
	}
	if len(t.erased) > mostErased {
		t.erased = []string{guard.UnknownLine}
	}
	return append([]string{strings.Join(t.lines, "\n")}, t.erased...)
}

// mostErased is how many lines that may have been erased are looked at.
const mostErased = 100

// typedLines collects the lines that keys type.
type typedLines struct {
	inShell bool
	lines   []string
	erased  []string
	line    []byte // text before the cursor
	begins  []int  // lines before which a key was typed that ends a command or an input
	all     []byte // the same, with what keys have erased: they may mean something else to the program
	changed bool   // a key has changed the line in a way only the program knows
}

// take takes the bytes that keys send.
func (t *typedLines) take(data string) {
	for data != "" {
		n := 1
		switch c := data[0]; {
		case c == '\r', c == '\n':
			t.end()
		case c == '\x0f': // C-o is Enter, and takes the next line from the history
			t.end()
			t.changed = t.inShell
		case c == wire.NotToShell:
		case c == '\x7f', c == '\b':
			t.erase()
		case c == '\x17': // C-w
			t.keep()
			t.line = t.line[:strings.LastIndexAny(strings.TrimRight(string(t.line), " "), " ")+1]
		case c == '\x03', c == '\x15', c == '\x04': // C-c, C-u and C-d begin anew, or end the input
			t.keep()
			t.line, t.changed = nil, t.changed && c != '\x03'
			if c != '\x15' { // the lines before may be dropped, or ended
				t.begins = append(t.begins, len(t.lines))
			}
		case c == '\x1b':
			n = sequenceLength(data)
			t.edit()
		case c == '\t' && !t.inShell:
			t.end()
		case c == '\t':
			if len(t.line) > 0 { // the shell completes the word
				t.line, t.all = append(t.line, '*'), append(t.all, '*')
			}
		case c < ' ' && c != '\x0c': // C-l only draws
			t.edit()
		case c != '\x0c':
			_, n = utf8.DecodeRuneInString(data)
			t.line, t.all = append(t.line, data[:n]...), append(t.all, data[:n]...)
		}
		data = data[n:]
	}
}

// end ends the line.
func (t *typedLines) end() {
	if t.changed {
		if len(t.lines) > 0 { // it may end what the lines before have begun
			t.erased = append(t.erased, guard.UnknownLine)
		}
		t.lines = append(t.lines, guard.UnknownLine)
		t.keep()
	} else {
		t.lines = append(t.lines, string(t.line))
	}
	if len(t.all) != len(t.line) {
		t.erased = append(t.erased, string(t.all))
	}
	t.line, t.all, t.changed = nil, nil, false
}

// keep keeps the text of the line so far, which may be erased.
func (t *typedLines) keep() {
	if len(t.line) > 0 {
		t.erased = append(t.erased, string(t.line))
	}
}

// erase takes the last character away.
func (t *typedLines) erase() {
	t.keep()
	_, n := utf8.DecodeLastRune(t.line)
	t.line = t.line[:len(t.line)-n]
}

// edit handles a key that moves the cursor, changes the line or chooses another one.
func (t *typedLines) edit() {
	if t.inShell {
		t.changed = true
		return
	}
	t.end()
}

// sequenceLength returns the length of the key at the start of data, which begins with Escape.
func sequenceLength(data string) int {
	switch {
	case len(data) == 1:
		return 1
	case data[1] == 'O' && len(data) > 2:
		return 3
	case data[1] != '[':
		_, n := utf8.DecodeRuneInString(data[1:])
		return 1 + n
	}
	for i := 2; i < len(data); i++ {
		if data[i] >= 0x40 && data[i] <= 0x7e {
			return i + 1
		}
	}
	return len(data)
}
