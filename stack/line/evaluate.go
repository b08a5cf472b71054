package line

import (
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The signs that stand in a text for what is known only at run time. No text of a user has them:
// Evaluate refuses one that does.
const (
	Unknown  = "\x01" // any text, also none
	Names    = "\x02" // names of files, or numbers: at least one byte, and never ".."
	Computed = "\x03" // any text, made by a program that may have decoded it
)

// Signs are the bytes that stand for something unknown.
const Signs = Unknown + Names + Computed

// A Redirect is a redirection to a file.
type Redirect struct {
	Path   string // as it is in the line, expanded
	Writes bool
}

// An Input is the standard input of a command as far as the line says it. A nil Input is the input
// of the line itself.
type Input struct {
	Text string // may have Signs
}

// A Command is a simple command as a shell would execute it.
type Command struct {
	Words  []string // program and arguments after expansion; may have Signs; empty for a redirection without a command
	Env    []string // variables before the program, as NAME=VALUE
	Redirs []Redirect
	Input  *Input // nil: that of the line
	Loose  bool   // a word that is not in quotes, or "$@", is not known at all: it may be options, and any number of words
	Shell  string // the shell that the program is, such as "fish"; "" for other programs

	shell   *shell
	context evalContext
}

// An Evaluation is the state of shells that evaluate lines without executing anything: what a line
// would execute is given to Visit. Variables, functions, aliases, the folder and the text that flows
// through pipes are followed as far as the line itself says them. Otherwise a sign takes their place.
// Where a line has several ways to go, all of them are followed.
type Evaluation struct {
	// Visit gets each command, and returns what it writes to its standard output.
	Visit func(*Command) string
	// Read returns the text of a file for a redirection, for cat and for source. ok is false for one
	// that is not known.
	Read func(path string) (text string, ok bool)
	// Env returns a variable of the environment. known is false if the environment is not known.
	Env func(name string) (value string, set, known bool)

	// Scripts is the number of files on the disk that are being evaluated. What cannot be parsed in
	// them, or is too large, is left out without an error. So it is while Tolerant is not 0.
	Scripts, Tolerant int

	files    map[string]string // text of files that the line writes, by path
	written  []written         // what was written before, one by one
	removed  map[string]bool   // functions that the line has removed, by name
	links    map[string]string // targets of links and copies that the line makes, by path
	steps    int
	commands int
	size     int // bytes of text evaluated
	expanded int // bytes of words that were expanded
	large    bool
	opened   bool  // something unknown may have set any variable
	partial  error // first part that cannot be parsed
	nesting  int   // depth of substitutions
	pipes    int   // process substitutions
}

// The limits of an evaluation.
const (
	mostSteps        = 20000
	mostCommands     = 4000
	mostEvaluated    = 4 << 20
	mostExpanded     = 16 << 20
	mostFields       = 10000
	mostAlternatives = 16
	mostOutput       = 64 << 10
	mostNested       = 40
)

// MostScript is the most bytes of a file on the disk that are evaluated.
const MostScript = 512 << 10

// A shell is the state of one shell. A subshell has a copy.
type shell struct {
	ev        *Evaluation
	name      string // $0
	dialect   dialect
	vars      map[string]variable
	functions map[string]*syntax.Stmt
	aliases   map[string]string
	dir       string   // absolute, or with a sign if it is not known
	before    string   // the folder before the last cd
	pushed    []string // folders that pushd has left, the last one at the end
	params    []string
	known     bool                      // params are known
	saved     map[string]variableOrNone // what the variables were that the function that runs has made its own; nil outside
}

// A variable has one of some values, or is an array.
type variable struct {
	values  []string
	array   []string
	list    bool
	keys    []string // of the elements of an associative array, by their place in array
	named   bool     // it is an associative array
	integer bool     // it is made by declare -i
	fixed   bool     // it is made by readonly or declare -r: a command that changes it fails
	refers  string   // to the variable of this name
}

// An evalContext says how a command stands in the line.
type evalContext struct {
	depth int
	in    *Input
	out   *output // nil: the output goes to where that of the line goes
}

// An output collects what commands write.
type output struct{ text strings.Builder }

func (o *output) add(text string) {
	switch {
	case o == nil || o.text.Len() > mostOutput:
	case o.text.Len()+len(text) > mostOutput:
		o.text.WriteString(Unknown + strings.Repeat(" ", mostOutput))
	default:
		o.text.WriteString(text)
	}
}

// settle replaces what was written since a length by the sign for unknown text, if it was anything.
func (o *output) settle(since int) {
	if o == nil || o.text.Len() == since {
		return
	}
	text := o.text.String()[:since]
	o.text.Reset()
	o.text.WriteString(text + Unknown)
}

func (o *output) len() int {
	if o == nil {
		return 0
	}
	return o.text.Len()
}

// Evaluate evaluates a text as a shell with the working directory dir would. input is nil if its
// standard input is not known. The error says that the text or a part of it cannot be parsed, or
// that it is too large. Visit has been called for what comes before.
func (ev *Evaluation) Evaluate(text, name, dir string, input *Input) error {
	s := &shell{
		ev: ev, name: name, dialect: dialectOf(name), vars: map[string]variable{}, functions: map[string]*syntax.Stmt{}, aliases: map[string]string{},
		dir: dir, before: Unknown, known: true,
	}
	if strings.ContainsAny(text, Signs) {
		return errControl
	}
	s.evaluate(text, evalContext{in: input})
	return ev.err()
}

// Start gives a command to Visit that is executed directly.
func (ev *Evaluation) Start(words []string, dir string) error {
	for _, word := range words {
		if strings.ContainsAny(word, Signs) {
			return errControl
		}
	}
	s := &shell{
		ev: ev, name: "sh", vars: map[string]variable{}, functions: map[string]*syntax.Stmt{}, aliases: map[string]string{},
		dir: dir, before: Unknown, known: true,
	}
	c := &Command{Words: words, shell: s}
	ev.visit(c)
	return ev.err()
}

// spend counts the bytes of a word that was expanded, and reports whether there may be more.
func (ev *Evaluation) spend(bytes int) bool {
	ev.expanded += bytes + 16
	ev.large = ev.large || ev.expanded > mostExpanded
	return !ev.large
}

// Large reports whether the evaluation has ended early, because the text is too large.
func (ev *Evaluation) Large() bool { return ev.large }

func (ev *Evaluation) err() error {
	if ev.large {
		return errLarge
	}
	return ev.partial
}

// Script calls run, which evaluates a file on the disk.
func (ev *Evaluation) Script(run func()) {
	steps, commands, expanded, large := ev.steps, ev.commands, ev.expanded, ev.large
	ev.Scripts++
	run()
	if ev.Scripts--; ev.large && !large {
		ev.steps, ev.commands, ev.expanded, ev.large = steps+mostSteps/20, commands+mostCommands/20, expanded+mostExpanded/20, false
	}
}

// evaluate evaluates a text in the shell itself.
func (s *shell) evaluate(text string, c evalContext) {
	ev := s.ev
	most := mostText
	if ev.Scripts > 0 {
		most = MostScript
	}
	if ev.size += len(text); len(text) > most || ev.size > mostEvaluated || c.depth > mostNested || Nested(text) {
		ev.large = ev.large || ev.Scripts+ev.Tolerant == 0
		return
	}
	if s.dialect == dialectFish {
		text = fromFish(text)
	}
	parser := parsers.Get().(*syntax.Parser)
	defer parsers.Put(parser)
	file, err := parser.Parse(strings.NewReader(text), "")
	if err != nil {
		if ev.partial == nil && ev.Scripts+ev.Tolerant == 0 {
			ev.partial = syntaxError(err)
		}
		if ev.Scripts > 0 { // a shell executes a script up to the mistake
			for one, err := range parser.StmtsSeq(strings.NewReader(text)) {
				if err != nil || ev.large {
					break
				}
				s.statement(one, c.deeper())
			}
		}
		return
	}
	s.list(file.Stmts, c.deeper())
}

func (c evalContext) deeper() evalContext {
	c.depth++
	return c
}

func (s *shell) copied() *shell {
	s.ev.spend(8 * len(s.vars))
	c := *s
	c.vars, c.functions, c.aliases = maps.Clone(s.vars), maps.Clone(s.functions), maps.Clone(s.aliases)
	c.saved = maps.Clone(s.saved)
	return &c
}

// union returns the different texts of two lists, or Unknown if they are too many.
func union(a, b []string) []string {
	all := append([]string(nil), a...)
	for _, text := range b {
		if !contains(all, text) {
			all = append(all, text)
		}
	}
	if len(all) > mostAlternatives {
		return []string{Unknown}
	}
	return all
}

func contains(list []string, text string) bool {
	for _, one := range list {
		if one == text {
			return true
		}
	}
	return false
}
