package prompt

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"devtools/screen"
)

// An Interpreter is a kind of programs that take a line, run it and ask for the next one, as known by their prompts.
type Interpreter struct {
	prompt, more *regexp.Regexp // more is nil for a program that has no such prompt
	program      string         // how the name of the program begins; "" for any

	Finish string // keys that end a command of several lines at the prompt for its rest; "" where there are none
	Cancel string // keys that drop an unfinished command; "" where they are not known
	Split  bool   // several lines are typed one by one, not as a paste
}

//go:embed repl.toml
var replFile []byte

// known has what replFile says, once it was needed.
var known struct {
	once sync.Once
	list []Interpreter
}

// interpreters returns what replFile says.
func interpreters() []Interpreter {
	known.once.Do(func() {
		var file struct {
			REPL []struct {
				Prompt, More, Program, Finish, Cancel string
				Split                                 bool
			}
		}
		if err := toml.Unmarshal(replFile, &file); err != nil {
			panic(fmt.Errorf("repl.toml: %w", err))
		}
		for _, r := range file.REPL {
			one := Interpreter{prompt: regexp.MustCompile(r.Prompt), program: r.Program, Finish: r.Finish, Cancel: r.Cancel, Split: r.Split}
			if r.More != "" {
				one.more = regexp.MustCompile(r.More)
			}
			known.list = append(known.list, one)
		}
	})
	return known.list
}

// FindInterpreter returns the kind of the program whose prompt the line of the cursor shows, with nothing typed behind it, or nil.
// more says that the program takes the rest of a command. Programs may share a prompt for that; the first of them is returned.
func FindInterpreter(program, line string) (r *Interpreter, more bool) {
	list := interpreters()
	for i := range list {
		if list[i].is(program) && list[i].prompt.MatchString(line) {
			return &list[i], false
		}
	}
	for i := range list {
		if list[i].is(program) && list[i].continues(line) {
			return &list[i], true
		}
	}
	return nil, false
}

// HalfTyped reports whether the line of the cursor is the prompt of a known REPL with text behind it.
func HalfTyped(program, line string) bool {
	for i := range line {
		if r, more := FindInterpreter(program, line[:i]); r != nil && !more {
			return true
		}
	}
	return false
}

// is reports whether a program of that name can be of this kind.
func (r *Interpreter) is(program string) bool { return strings.HasPrefix(program, r.program) }

// continues reports whether a line is the prompt for the rest of a command.
func (r *Interpreter) continues(line string) bool { return r.more != nil && r.more.MatchString(line) }

// A Return says what a line means for a command that was typed at the prompt of a REPL.
type Return int

const (
	Elsewhere    Return = iota // it is no prompt of that REPL
	PromptIsBack               // the REPL takes the next command
	TakesMore                  // the REPL takes the rest of the command
)

// After tells what the line of the cursor means for a command that was typed into the program at the line before. For a REPL
// that repl.toml does not have, both must be the same but for their numbers.
func After(program, before, line string) Return {
	r, more := FindInterpreter(program, before)
	switch {
	case r == nil || more:
		if withoutNumbers(before) == withoutNumbers(line) {
			return PromptIsBack
		}
	case r.prompt.MatchString(line):
		return PromptIsBack
	case r.continues(line):
		return TakesMore
	}
	return Elsewhere
}

// withoutNumbers returns text without its digits.
func withoutNumbers(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, text)
}

// UnknownREPL reports whether the line of the cursor ends as the prompt of a REPL that repl.toml does not have, and with
// nothing typed behind it, as it seems. The signs of shells do not count: a REPL has no exit codes, and the shell may be that
// of another machine.
func UnknownREPL(line string) bool { return strings.HasSuffix(line, " ") && ends(line, ">:)]»›=") }

// CursorLine returns the line of the cursor, with the blanks before the cursor.
func CursorLine(picture *screen.Snapshot) string {
	v := look(Scene{Picture: picture})
	if v.last < v.row {
		return strings.Repeat(" ", picture.Cursor.Col) // v has a line above it
	}
	return v.before + v.after
}
