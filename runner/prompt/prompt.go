// Package prompt reads from the picture of a terminal what a program asks, and for what kind of answer. Whether the
// program waits at all the picture does not say: the kernel does (package proc). Only where the kernel tells too
// little does the picture help, with [Book.AtPrompt].
package prompt

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"devtools/screen"
)

// A Kind is the kind of answer that a program waits for.
type Kind string

const (
	Password Kind = "password" // a secret, and Enter
	Confirm  Kind = "confirm"  // yes or no, perhaps with a few letters more
	Line     Kind = "line"     // a line of text
	Choice   Kind = "choice"   // one of a menu, by number, letter or arrow keys
	REPL     Kind = "repl"     // the next command of a shell, an interpreter or a console
	Pager    Kind = "pager"    // a key that turns the page, or q
	Editor   Kind = "editor"   // a text is edited
	TUI      Kind = "tui"      // a program that has the whole screen
	Key      Kind = "key"      // any key, or a certain one
)

// A Scene is what there is to go by.
type Scene struct {
	// Picture is what the terminal shows, of [screen.Visible].
	Picture *screen.Snapshot

	// Since is the first row of it that was printed after the last input: what is above was answered already. It is 0
	// where nothing was, and does not count on the alternate screen, which programs draw all over.
	Since int

	// Command is the name of the program that reads, as the kernel has it: at most 15 bytes.
	Command string

	Canonical, Echo bool // ICANON and ECHO of the terminal that it reads, termios(3)
}

// A Question is what is asked.
type Question struct {
	Kind Kind

	// Text is the question as a person reads it, at most 2 KiB: its lines joined with \n, without blanks at their
	// ends, but those between the prompt and the cursor ("Name? ").
	Text string

	// Secret says that what is typed should be neither shown nor kept: lines are read without echo, or it is known that
	// a password is asked for, even one that is echoed.
	Secret bool

	// Drawn says that the program draws all over the screen and takes keys: that what is asked is not a line which stays.
	Drawn bool

	// Above says that Text stands above the line of the cursor, which is blank, and does not end as a question does. It
	// is context, perhaps of something that is over, and not to be answered by what it says.
	Above bool

	// Known is true where a pattern or the program's name told the kind, and false where it was guessed from the
	// terminal's settings alone.
	Known bool
}

// A Pattern tells the Kind of the questions in which RE finds something. It looks at the line of the cursor, up to the
// cursor and with its trailing blanks; and then at the whole text, if that is more.
type Pattern struct {
	Kind Kind
	RE   *regexp.Regexp
}

// A Book is what prompts look like. It may be used by several goroutines.
type Book struct {
	own []Pattern
}

// builtIn returns the built-in patterns, which are compiled when they are first needed.
var builtIn = sync.OnceValue(compile)

// NewBook returns a Book in which the patterns of a workspace come before the built-in ones.
func NewBook(own []Pattern) *Book { return &Book{own} }

// Read returns what the program of s asks, provided that it waits for input.
func (b *Book) Read(s Scene) Question {
	r := reading{view: look(s), known: builtIn(), role: roleOf(s.Command)}
	q := r.question()
	if row, ok := r.overMark(q.Kind); ok {
		if q.Text = r.joined(row, r.last); q.Kind == REPL {
			q.Kind = Line
		}
	}
	q.Drawn = r.drawn(q)
	q.Above = r.context(q)
	if r.role != pager && r.role != editor || s.Canonical {
		if kind, ok := b.owned(r.line, q.Text); ok {
			q.Kind, q.Known, q.Above = kind, true, false
			if kind == Confirm || kind == Choice {
				q.Text = r.textOf(kind)
			}
		}
	}
	q.Secret = s.Canonical && !s.Echo || q.Kind == Password && q.Known
	q.Text = bounded(q.Text, q.Kind != TUI && q.Kind != Editor)
	return q
}

// owned returns the kind that a pattern of the workspace tells.
func (b *Book) owned(line, text string) (Kind, bool) {
	for _, p := range b.own {
		if p.RE.MatchString(bounded(line, true)) || p.RE.MatchString(bounded(text, true)) {
			return p.Kind, true
		}
	}
	return "", false
}

// A reading is what is needed to tell a question's kind.
type reading struct {
	*view
	*known
	role role
}

// drawn reports whether the program of a question takes keys and draws all over the screen.
func (r *reading) drawn(q Question) bool {
	switch {
	case r.Canonical:
		return false
	case r.role == pager, r.role == editor, r.role == fullscreen, q.Drawn:
		return true
	case r.alternate():
		return !r.shellWithin()
	}
	return q.Kind == Pager || q.Kind == TUI
}

// context reports whether the text of a question does not ask, but only stands above the line of the cursor.
func (r *reading) context(q Question) bool {
	if q.Drawn || q.Text == "" || r.last >= r.row || ends(r.line, ":?>：？") {
		return false
	}
	if q.Kind == Password && r.Canonical { // also known where a secret was only spoken of
		return !r.password.find(r.line)
	}
	return !q.Known
}

// question tells kind and text, and Drawn for a box with buttons; the rest is left to the caller.
func (r *reading) question() Question {
	switch {
	case r.Canonical && !r.Echo:
		return Question{Kind: Password, Text: r.passage(), Known: r.password.find(r.line) || r.hidden.find(r.line)}
	case r.Canonical:
		return r.cooked()
	case r.role == pager:
		return Question{Kind: Pager, Text: r.statusLine(), Known: true}
	case r.role == editor:
		return r.editing()
	case r.Echo:
		if kind := r.told(); kind == Confirm || kind == Key {
			return Question{Kind: kind, Text: r.textOf(kind), Known: true}
		}
		return Question{Kind: Key, Text: r.passage()}
	case (r.alternate() || r.role == fullscreen) && !r.shellWithin():
		return r.drawing()
	}
	return r.raw()
}

// shellWithin reports whether a shell reads at its prompt, though the screen is another program's: one with terminals of
// its own, such as tmux.
func (r *reading) shellWithin() bool { return r.role == shell && shellLine(r.before) }

// cooked is the question of a program that reads lines which the terminal lets people edit.
func (r *reading) cooked() Question {
	kind := r.told()
	switch {
	case kind != "":
	case r.repl.find(r.before), r.role == shell && shellEnd(r.before) && !ends(r.before, ">"), r.role == console && ends(r.before, ">"):
		return Question{Kind: REPL, Text: r.before, Known: true}
	default:
		return Question{Kind: Line, Text: r.passage(), Known: ends(r.line, ":?>") || r.suggested.find(r.line)}
	}
	return Question{Kind: kind, Text: r.textOf(kind), Known: true}
}

// raw is the question of a program that reads keys, does not have them echoed, and is on the main screen: it edits
// lines itself, or draws menus.
func (r *reading) raw() Question {
	typed := r.before
	switch {
	case r.pages():
		return Question{Kind: Pager, Text: r.statusLine(), Known: true}
	case r.role == shell && typed == "read> ": // what the read of fish asks
		return Question{Kind: Line, Text: typed, Known: true}
	case r.role == shell && wordPrompt(typed): // its read -e: its own prompt has a sign of a shell, or says where it is
		return Question{Kind: Line, Text: typed, Known: true}
	case r.role == shell && shellLine(typed), r.repl.find(typed) && !r.password.find(typed):
		return Question{Kind: REPL, Text: typed, Known: true}
	}
	if first, last, ok := r.pointed(); ok && (r.role != shell || !r.visible()) {
		return Question{Kind: Choice, Text: r.tidy(first, last, menuRows), Known: true}
	}
	if q, ok := r.bothWays(); ok {
		return q
	}
	if kind := r.told(); kind != "" {
		return Question{Kind: kind, Text: r.textOf(kind), Known: true}
	}
	if q, ok := r.asked(); ok {
		return q
	}
	switch {
	case (r.role == shell || r.role == console) && ends(typed, ":?"):
		return Question{Kind: Line, Text: r.passage(), Known: true}
	case r.role == shell, r.role == console:
		return Question{Kind: REPL, Text: typed, Known: true}
	case r.role == runtime && nodePrompt(typed):
		return Question{Kind: REPL, Text: typed, Known: true}
	case r.visible() && ends(typed, ":?"), r.suggested.find(typed), r.visible() && r.role == runtime && ends(typed, ">›»❯"):
		return Question{Kind: Line, Text: r.passage(), Known: true}
	case r.visible() && shellEnd(typed):
		return Question{Kind: REPL, Text: typed, Known: true}
	case !r.visible():
		if q, ok := r.field(); ok {
			return q
		}
		if q, ok := r.dialog(); ok {
			return q
		}
		return Question{Kind: TUI, Text: r.block()}
	case r.line == "" || r.col == 0:
		return Question{Kind: Key, Text: r.passage()}
	}
	return Question{Kind: Line, Text: r.passage()}
}

// told returns the kind that the built-in patterns tell of the line of the cursor, and of a menu above it; "" is none.
func (r *reading) told() Kind {
	line := r.line
	switch {
	case r.last < r.row && r.replied.find(line): // the line of the cursor is blank
		return ""
	case r.more.find(line):
		return Pager
	case r.confirm.find(line):
		return Confirm
	case r.password.find(line):
		return Password
	case r.choice.find(line), r.listed():
		return Choice
	case r.key.find(line):
		return Key
	case r.yesNo.find(line), r.confirmed():
		return Confirm
	}
	return ""
}

// listed reports whether the line of the cursor asks for one of the menu above it.
func (r *reading) listed() bool {
	first, last := r.numbered(1)
	if first > last {
		return false
	}
	if r.last < r.row { // the line of the cursor is blank
		return first > r.top && ends(r.text(first-1), ":?")
	}
	return ends(r.line, ":?>#)")
}

// confirmed reports whether it was said above that yes is the answer.
func (r *reading) confirmed() bool {
	_, ok := r.onlyYesRow()
	return ok
}

// nodePrompt reports whether a line is the prompt of Node, Lua or Deno at which nothing is typed.
func nodePrompt(line string) bool {
	switch line {
	case "> ", ">> ", "... ", "| ":
		return true
	}
	return false
}

// overMark returns the row of the question over a line that is only a mark, such as "> ". It ends as a question does or,
// where lines are read, is all that was printed since the last input: a console prints results over its mark.
func (r *reading) overMark(kind Kind) (row int, ok bool) {
	if r.first <= r.top || r.last < r.row || r.alternate() || strings.IndexFunc(r.line, wordCharacter) >= 0 {
		return 0, false
	}
	first, last, _ := r.above(r.first)
	text := strings.TrimSpace(r.joined(first, last))
	switch {
	case text == "" || kind != REPL && kind != Line && kind != Password:
		return 0, false
	case ends(text, ":?：？"):
		return first, true
	}
	return first, kind != REPL && first == r.top
}

func wordCharacter(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// textOf is the text of a question that the line of the cursor ends.
func (r *reading) textOf(kind Kind) string {
	switch kind {
	case Confirm:
		return r.withReason()
	case Choice:
		return r.withMenu()
	case REPL:
		return r.before
	}
	return r.passage()
}
