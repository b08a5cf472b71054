// Package prompt finds out, from the picture of a terminal, what a program asks and which kind of answer it expects.
//
// The picture does not say whether the program waits at all. The kernel does (package blocked). The picture helps with
// that, through [Book.AtPrompt] and [Book.Offers], only where the kernel tells too little.
package prompt

import (
	"regexp"
	"strings"
	"unicode"

	"devtools/screen"
)

// A Kind is the kind of answer that a program waits for.
type Kind string

const (
	Password Kind = "password" // a secret, then Enter
	Confirm  Kind = "confirm"  // yes or no, perhaps with a few more letters
	Line     Kind = "line"     // a line of text
	Choice   Kind = "choice"   // one item of a menu, by number, letter or arrow keys
	REPL     Kind = "repl"     // the next command of a shell, an interpreter or a console
	Pager    Kind = "pager"    // a key that turns the page, or q
	Editor   Kind = "editor"   // keys that edit a text
	TUI      Kind = "tui"      // keys for a program that uses the whole screen
	Key      Kind = "key"      // any key, or a certain key
)

// A Scene is the evidence from which a question is read.
type Scene struct {
	// Picture is what the terminal shows, of [screen.Visible].
	Picture *screen.Snapshot

	// Since is the first row printed after the last input. Rows above it were answered already. It is 0 if nothing was
	// typed yet. It does not count on the alternate screen, because programs draw all over that.
	Since int

	// Hidden is the row of the cursor when it was last hidden. It is negative if that row has left the screen.
	Hidden int

	// Command is the name of the program that reads, as the kernel has it: at most 15 bytes.
	Command string

	Blink *Caret // the caret, where the program blinks it; nil if that is not known

	Typed *Typed // the last input; nil if nothing was typed, or while the cursor was hidden

	Canonical, Echo bool // ICANON and ECHO of the terminal that the program reads, termios(3)
}

// A Question is what a program asks.
type Question struct {
	Kind Kind

	// Text is the question as a person reads it, at most 2 KiB. Its lines are joined with \n, without blanks at their
	// ends. The blanks between the prompt and the cursor stay ("Name? ").
	Text string

	// Secret says that typed text must be neither shown nor kept. Either the terminal reads lines without echo, or the
	// program is known to ask for a password, even if that is echoed.
	Secret bool

	// Drawn says that the program draws all over the screen, or a menu for the arrow keys, and reads single keys. The
	// question is then not a line that stays.
	Drawn bool

	// Above says that Text stands above the line of the cursor, which is blank, and does not end like a question. Such
	// a text is context, perhaps of something finished. Its words are not a question to answer.
	Above bool

	// Known is true if a pattern or the program's name told the kind. It is false if the kind was guessed only from the
	// settings of the terminal.
	Known bool
}

// A Pattern gives a Kind to the questions that RE matches. RE is tried on the line of the cursor, up to the cursor and
// with its trailing blanks. It is then tried on the whole text, if that is more.
type Pattern struct {
	Kind Kind
	RE   *regexp.Regexp
}

// A Book knows what prompts look like. Several goroutines may use it.
type Book struct {
	own []Pattern
}

// NewBook returns a Book in which the patterns of a workspace come before the built-in patterns.
func NewBook(own []Pattern) *Book { return &Book{own} }

// Read returns what the program of s asks, provided that it waits for input.
func (b *Book) Read(s Scene) Question {
	r := reading{view: look(s), role: roleOf(s.Command)}
	q, ok := r.focused()
	if !ok {
		q = r.question()
	}
	if row, ok := r.overMark(q.Kind); ok {
		q.Text = r.joined(row, r.last)
		switch above := r.joined(row, r.first-1); {
		case confirmPrompt.find(above), yesNoQuestion.find(above): // one key may be the whole answer
			q.Kind = Confirm
		case q.Kind == REPL:
			q.Kind = Line
		}
	}
	if row := r.overChoices(); row < r.first && q.Kind == Line && r.last >= r.row {
		q.Text = r.joined(r.reasonFrom(row, r.first-paragraph), r.last)
	}
	q.Drawn = r.drawn(q)
	q.Above = q.Above || r.context(q)
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

// owned returns the kind from the first matching pattern of the workspace.
func (b *Book) owned(line, text string) (Kind, bool) {
	for _, p := range b.own {
		if p.RE.MatchString(bounded(line, true)) || p.RE.MatchString(bounded(text, true)) {
			return p.Kind, true
		}
	}
	return "", false
}

// A reading has everything for finding the kind of a question.
type reading struct {
	*view
	role role
}

// drawn reports whether the program of a question reads single keys and draws all over the screen.
func (r *reading) drawn(q Question) bool {
	switch {
	case r.Canonical:
		return false
	case r.role == pager, r.role == editor, r.role == fullscreen, q.Drawn:
		return true
	case r.alternate() && !(r.at.drawn && q.Known):
		return !r.shellWithin()
	}
	return q.Kind == Pager || q.Kind == TUI
}

// context reports whether the text of a question does not ask, but only stands above the line of the cursor.
func (r *reading) context(q Question) bool {
	if q.Drawn || q.Text == "" || r.last >= r.row || ends(r.line, ":?>：？") {
		return false
	}
	if q.Kind == Password && r.Canonical { // Known is also true if the text only mentions a secret
		return !passwordPrompt.find(r.line)
	}
	return !q.Known
}

// question returns the kind and the text, and Drawn for a box with buttons. The caller fills in the rest.
func (r *reading) question() Question {
	switch {
	case r.Canonical && !r.Echo:
		return Question{Kind: Password, Text: r.passage(), Known: passwordPrompt.find(r.line) || secretWord.find(r.line)}
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
		if q, ok := r.drawnLine(); ok {
			return q
		}
		return r.drawing()
	}
	return r.raw()
}

// shellWithin reports whether a shell reads at its prompt although the screen belongs to another program. That is a
// program with terminals of its own, such as tmux.
func (r *reading) shellWithin() bool {
	return r.role == shell && shellLine(r.before) && !screenKeys.find(r.text(len(r.rows)-1)) // mc has a shell, and keys below its prompt
}

// cooked returns the question of a program that reads lines, which people edit with the help of the terminal.
func (r *reading) cooked() Question {
	kind := r.told()
	switch {
	case kind != "":
	case replPrompt.find(r.before), r.shellPrompt(), r.role == console && ends(r.before, ">%#*]"): // sbcl's *, jdb's main[1]
		return Question{Kind: REPL, Text: r.before, Known: true}
	default:
		return Question{Kind: Line, Text: r.passage(), Known: ends(r.line, ":?>") || markedQuestion(r.line) || defaultShown.find(r.line)}
	}
	return Question{Kind: kind, Text: r.textOf(kind), Known: true}
}

// shellPrompt reports whether a shell that reads lines shows its own prompt, and not that of read -p.
func (r *reading) shellPrompt() bool {
	return r.role == shell && shellEnd(r.before) && !ends(r.before, ">") && !markedQuestion(r.before)
}

// raw returns the question of a program on the main screen that reads single keys without echo. Such a program edits
// lines itself, or draws menus.
func (r *reading) raw() Question {
	if q, ok := r.drawnLine(); ok {
		return q
	}
	if q, ok := r.promptAlone(); ok {
		return q
	}
	if q, ok := r.knownQuestion(); ok {
		return q
	}
	if q, ok := r.editedLine(); ok {
		return q
	}
	switch {
	case !r.visible():
		return r.withoutCursor()
	case r.line == "" || r.col == 0:
		return Question{Kind: Key, Text: r.passage()}
	}
	return Question{Kind: Line, Text: r.passage()}
}

// promptAlone returns the question of a program that is known by its prompt or status line, whatever else it shows.
func (r *reading) promptAlone() (q Question, ok bool) {
	typed := r.before
	switch {
	case r.pages():
		q = Question{Kind: Pager, Text: r.statusLine()}
	case r.role == shell && typed == "read> ": // the prompt of fish's read
		q = Question{Kind: Line, Text: typed}
	case r.role == shell && wordPrompt(typed): // the prompt of read -e; a shell's own prompt has a sign or says where it is
		q = Question{Kind: Line, Text: typed}
	case r.role == shell && shellLine(typed) && !markedQuestion(typed), replPrompt.find(typed) && !asksOtherwise(typed):
		q = Question{Kind: REPL, Text: typed}
	}
	q.Known = true
	return q, q.Kind != ""
}

// asksOtherwise reports whether a line that looks like the prompt of a REPL asks for something else than a command.
func asksOtherwise(line string) bool {
	return angledPassword.find(line) || confirmPrompt.find(line) || keyPrompt.find(line) || choicePrompt.find(line)
}

// knownQuestion returns the question that a menu, a built-in pattern or the drawing of a prompt library tells.
func (r *reading) knownQuestion() (q Question, ok bool) {
	if first, last, ok := r.pointed(); ok && (r.role != shell || !r.visible()) {
		return Question{Kind: Choice, Text: r.tidy(first, last, menuRows), Known: true, Drawn: true}, true
	}
	if first, last, ok := r.numberedBelow(); ok {
		return Question{Kind: Choice, Text: r.tidy(first, last, menuRows), Known: true, Drawn: true}, true
	}
	if first, last, ok := r.unmarked(); ok {
		return Question{Kind: Choice, Text: r.tidy(first, last, menuRows), Drawn: true, Known: libraryQuestion.begins(r.text(first))}, true
	}
	if q, ok := r.bothWays(); ok {
		return q, true
	}
	if kind := r.told(); kind != "" {
		return Question{Kind: kind, Text: r.textOf(kind), Known: true}, true
	}
	return r.asked()
}

// editedLine returns the question of a program that edits a line, as its role or the end of the line tells.
func (r *reading) editedLine() (q Question, ok bool) {
	typed := r.before
	switch {
	case (r.role == shell || r.role == console) && (ends(typed, ":?") || markedQuestion(typed)):
		q = Question{Kind: Line, Text: r.passage()}
	case r.role == shell, r.role == console, r.role == runtime && nodePrompt(typed):
		q = Question{Kind: REPL, Text: typed}
	case r.visible() && ends(typed, ":?"), defaultShown.find(typed), r.visible() && r.role == runtime && ends(typed, ">›»❯"):
		q = Question{Kind: Line, Text: r.passage()}
	case r.visible() && shellEnd(typed):
		q = Question{Kind: REPL, Text: typed}
	}
	q.Known = true
	return q, q.Kind != ""
}

// withoutCursor returns the question of a program that hides the cursor and draws its field itself.
func (r *reading) withoutCursor() Question {
	if q, ok := r.field(); ok {
		return q
	}
	if q, ok := r.dialog(); ok {
		return q
	}
	return Question{Kind: TUI, Text: r.block()}
}

// told returns the kind that the built-in patterns find in the line of the cursor and in a menu above it. It returns ""
// if they find none.
func (r *reading) told() Kind {
	line := r.line
	switch {
	case r.last < r.row && answeredLine.find(line): // the line of the cursor is blank
		return ""
	case pagerPrompt.find(line):
		return Pager
	case confirmPrompt.find(line):
		return Confirm
	case passwordPrompt.find(line):
		return Password
	case choicePrompt.find(line), r.listed():
		return Choice
	case keyPrompt.find(line):
		return Key
	case yesNoQuestion.find(line), r.confirmed():
		return Confirm
	case angledPassword.find(line):
		return Password
	}
	return ""
}

// listed reports whether the line of the cursor asks for an item of the menu above it.
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

// confirmed reports whether a line above says that only yes is accepted.
func (r *reading) confirmed() bool {
	_, ok := r.onlyYesRow()
	return ok
}

// nodePrompt reports whether a line is the prompt of Node, Lua or Deno, with nothing typed.
func nodePrompt(line string) bool {
	switch line {
	case "> ", ">> ", "... ", "| ":
		return true
	}
	return false
}

// overMark returns the row of the question above a line that is only a mark, such as "> ". The text there must end like
// a question. If the program reads lines, it may instead be everything printed since the last input. That does not hold
// for a console, which prints results above its mark.
func (r *reading) overMark(kind Kind) (row int, ok bool) {
	if r.first <= r.top || r.last < r.row || r.alternate() || r.at.drawn || strings.IndexFunc(withoutBars(r.line), wordCharacter) >= 0 {
		return 0, false
	}
	first, last, _ := r.above(r.first)
	text := strings.TrimSpace(r.joined(first, last))
	switch {
	case text == "" || kind != REPL && kind != Line && kind != Password:
		return 0, false
	case ends(text, ":?：？") || confirmPrompt.find(text) || defaultShown.find(text):
		return first, true
	}
	return first, kind != REPL && first == r.top
}

// withoutBars returns a line without the default that HighLine shows between two bars.
func withoutBars(line string) string {
	before, rest, _ := strings.Cut(line, "|")
	if _, after, ok := strings.Cut(rest, "|"); ok {
		return before + after
	}
	return line
}

func wordCharacter(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// textOf returns the text of a question that ends with the line of the cursor.
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
