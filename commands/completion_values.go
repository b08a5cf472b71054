package commands

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"devtools/completions"
	"devtools/ledger"
	"devtools/runner/condition"
	"devtools/runner/list"
	"devtools/runner/proc"
	"devtools/screen/keys"
	"devtools/stack"
)

// A completer adds what can stand at the cursor.
type completer func(c *cursor, a *completions.Answer)

// complete adds what can stand for a placeholder: for NAME|PID names and pids, for start|stop these words.
func (c *cursor) complete(placeholder string, a *completions.Answer) {
	for part := range strings.SplitSeq(strings.TrimSuffix(placeholder, "…"), "|") {
		if add := c.completer(part); add != nil {
			add(c, a)
		}
	}
}

// completer returns how the value of the flag at the cursor, or an argument, is completed. It returns nil if the placeholder is
// not known. Each placeholder in the usage of a command or flag is listed here or in usualWords, also if nothing can be offered.
func (c *cursor) completer(placeholder string) completer {
	if chosen, ok := c.flag.(*choiceFlag); ok {
		return offerForms(chosen.words)
	}
	if words := usualWords(placeholder); len(words) > 0 {
		return offerWords(words...)
	}
	switch placeholder {
	case "NAME":
		return c.nameCompleter()
	case "PID":
		return completeProcesses
	case "FILE", "PATH":
		return leave(completions.Files)
	case "DIR":
		return leave(completions.Folders)
	case "LINE":
		return completeProgram
	case "COMMAND":
		if c.flag != nil { // a command line in one word
			return completeProgram
		}
		switch c.cmd.Name {
		case "help", "schema":
			return completeCommandNames
		}
		return leave(completions.Files) // a script: run --lang
	case "CONDITION":
		return offerForms(condition.Conditions())
	case "SIGNAL":
		return completeSignals
	case "NAMES":
		return completeMembers
	case "KEY":
		if c.flag != nil {
			return completeLabelKeys
		}
		return offerWords(keys.Names()...)
	case "NAME=SOURCE":
		return completeVariables
	case "KEY=VALUE":
		return completeLabelPairs
	case "NAME=VALUE":
		return completeVariables
	case "TEXT", "RE", "RE=TEXT", "PATTERN", "EXT", "N", "OFFSET", "HASH", "KEYS", "NEW", "NUMBER", "ID", "TOKEN":
		return offerNothing
	}
	if c.flag == nil && placeholder != "" && placeholder == strings.ToLower(placeholder) { // the usage has the word itself
		return offerWords(placeholder)
	}
	return nil
}

// nameCompleter returns how a NAME is completed. It is that of a session, except in a few flags.
func (c *cursor) nameCompleter() completer {
	if c.flag != nil {
		switch name := c.flag.Names()[0]; {
		case name == "stack":
			return completeStackCommands
		case name == "signal":
			return completeSignals
		case name == "name" && c.cmd.Name != "kill-orphans": // it is new
			return offerNothing
		}
	}
	return completeSessions
}

// usualWords returns all words that can stand for a placeholder, or a few usual ones.
func usualWords(placeholder string) []string {
	switch placeholder {
	case "DURATION":
		return []string{"500ms", "5s", "10s", "30s", "1m", "2m", "5m", "10m", "1h", "1d"}
	case "TIME":
		return []string{"90s", "10m", "1h", "1d", "7d", time.Now().Format(time.DateOnly)}
	case "MOMENT": // since the start of a session
		return []string{"500ms", "5s", "30s", "90s", "10m", "1h"}
	case "BYTES":
		return []string{"64KiB", "1MiB", "16MiB", "256MiB"}
	case "COLSxROWS", "SIZE":
		return []string{"80x24", "100x30", "120x40", "160x50"}
	case "CODE":
		return []string{"0", "1"}
	case "URL":
		return []string{"//localhost:"}
	case "SHELL":
		return []string{"bash", "dash", "fish", "sh", "zsh"}
	case "VERSION":
		return []string{"2", "3"}
	case "LANGUAGE":
		return stack.Languages()
	case "KIND":
		return ledger.EventKinds
	case "ORDER":
		return list.Orders
	}
	return nil
}

func offerNothing(*cursor, *completions.Answer) {}

// leave returns the completer of what the shell completes in its own way.
func leave(what string) completer {
	return func(_ *cursor, a *completions.Answer) { a.Left = what }
}

// completeProgram leaves a command line in one word to the shell, if it is a word of its own.
func completeProgram(c *cursor, a *completions.Answer) {
	if c.prefix == "" {
		a.Left, a.At = completions.Command, c.at
	}
}

// offerWords returns the completer of fixed words.
func offerWords(words ...string) completer {
	return func(_ *cursor, a *completions.Answer) {
		for _, word := range words {
			a.Words = append(a.Words, completions.Word{Text: word})
		}
	}
}

// value returns the value at the cursor, without the flag before it.
func (c *cursor) value() string { return strings.TrimPrefix(c.word, c.prefix) }

// commandWords returns the commands and their other names.
func commandWords() (words []completions.Word) {
	for _, s := range subcommands {
		if s.usage == "" {
			continue
		}
		for _, name := range append([]string{s.name}, aliases(s.name)...) {
			words = append(words, completions.Word{Text: name, About: s.usage})
		}
	}
	return append(words, completions.Word{Text: "help", About: helpUsage})
}

// completeCommandNames completes the argument of help and schema.
func completeCommandNames(c *cursor, a *completions.Answer) {
	a.Words = commandWords()
	if c.cmd.Name != "schema" {
		for _, topic := range topics() {
			a.Words = append(a.Words, completions.Word{Text: topic})
		}
		return
	}
	known, err := parseSchema(schemaText)
	a.Words = slices.DeleteFunc(a.Words, func(w completions.Word) bool { return err != nil || !slices.Contains(known.commands(), w.Text) })
}

func completeSignals(c *cursor, a *completions.Answer) {
	a.Words = append(a.Words, signalWords(c.value())...)
}

// signalWords returns the names of the signals, with SIG if the text begins so.
func signalWords(text string) (words []completions.Word) {
	prefix := ""
	if strings.HasPrefix(text, "SIG") {
		prefix = "SIG"
	}
	for _, name := range proc.SignalNames() {
		words = append(words, completions.Word{Text: prefix + name})
	}
	return words
}

// offerForms returns the completer of words, as kill, and of words with a value behind a colon, as signal:SIGNAL or exit[:CODE]. The
// placeholder says how the value is completed.
func offerForms(forms []string) completer {
	return func(c *cursor, a *completions.Answer) {
		for _, form := range forms {
			word, wants, colon := strings.Cut(form, ":")
			word, optional := strings.CutSuffix(word, "[")
			about := form
			if !colon {
				about = "" // the word says it
			}
			if !colon || optional {
				a.Words = append(a.Words, completions.Word{Text: word, About: about})
			}
			if word += ":"; colon {
				a.Words = append(a.Words, completions.Word{Text: word, About: about})
			}
			if colon && strings.HasPrefix(c.value(), word) {
				within, inner := *c, completions.Answer{}
				within.flag, within.prefix = nil, c.prefix+word
				within.complete(strings.TrimSuffix(wants, "]"), &inner)
				for _, w := range inner.Words {
					a.Words = append(a.Words, completions.Word{Text: word + w.Text, About: w.About})
				}
				a.Left, a.At = inner.Left, len(word)
			}
		}
	}
}

// completeMembers completes the last of the names of --fields.
func completeMembers(c *cursor, a *completions.Answer) {
	before := ""
	if i := strings.LastIndexByte(c.value(), ','); i >= 0 {
		before = c.value()[:i+1]
	}
	types := typesOf(results()[c.cmd.Name])
	path := strings.Split(c.value()[len(before):], ".")
	parents := path[:len(path)-1]
	for _, name := range parents {
		inner := types[:0:0]
		for _, t := range types {
			if member, ok := memberOf(t, name); ok {
				inner = append(inner, member)
			}
		}
		types = inner
	}
	for _, name := range parents {
		before += name + "."
	}
	for _, name := range namesIn(types, "") {
		a.Words = append(a.Words, completions.Word{Text: before + name})
	}
}

// completeVariables completes the name of a variable of the environment.
func completeVariables(_ *cursor, a *completions.Answer) {
	for _, pair := range os.Environ() {
		if name, _, ok := strings.Cut(pair, "="); ok && name != "" && name != completions.Variable {
			a.Words = append(a.Words, completions.Word{Text: name + "="})
		}
	}
}

// completeStackCommands completes --stack with the commands of the workspace.
func completeStackCommands(c *cursor, a *completions.Answer) {
	dir, err := workingDirectory(inHome(c.values["cwd"]))
	if err != nil {
		return
	}
	report, err := detectWith(context.Background(), dir, c.ownStacks())
	if err != nil {
		return
	}
	for _, name := range report.CommandNames() {
		a.Words = append(a.Words, completions.Word{Text: name})
	}
}

func (c *cursor) ownStacks() (own stack.Own) {
	if state, err := c.openState(); err == nil {
		own.Data, own.File, own.Err = state.Stacks()
	}
	return own
}
