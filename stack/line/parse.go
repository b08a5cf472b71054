package line

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// A Word is an argument as a program would get it.
type Word struct {
	Text string // without quotes; what the shell would replace is as in the line
	Open bool   // the shell inserts something unknown: a variable, the output of a command
}

// A Part is a simple command of a line: one program with its arguments.
type Part struct {
	Args       []Word
	Env        []string // NAME=VALUE before the program
	Start, End int      // its place in the text, with Env
	Dir        Word     // the folder after the line's cd commands, from the folder in which the line began; "" for the same folder
	Background bool     // nothing in the line waits for it
	Followed   bool     // a command follows, so that the author expects this one to end
	Fed        bool     // its standard input is a pipe, a file or a text in the line
	Loop       bool     // it is in a loop that does not end by itself
	Inner      bool     // another part uses its output or gives it input: $(…), <(…), >(…)
}

// The limits of a text, so that no text takes long.
const (
	mostText  = 512 << 10
	mostParts = 1000
	mostDepth = 100
)

// errLarge reports a text that nobody writes by hand.
var errLarge = errors.New("the line is too long or too deeply nested")

// parsers are the parsers that are not in use.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// Parse returns the simple commands of a text for bash, in their order. The commands of a
// substitution come before the command that needs it. A call of a function in the text is replaced
// by the function's commands. The error says where the syntax is wrong, or that the text is too
// large.
func Parse(text string) ([]Part, error) {
	file, err := Tree(text)
	if err != nil {
		return nil, err
	}
	w := &walker{text: text}
	w.list(file.Stmts, &scope{functions: map[string]*syntax.Stmt{}}, context{})
	if w.large {
		return nil, errLarge
	}
	return w.parts, nil
}

// Tree returns the syntax tree of a text for bash. The error says where the syntax is wrong, or that the text is too large.
func Tree(text string) (*syntax.File, error) {
	file, err := parse(text)
	if at, ok := errors.AsType[syntax.ParseError](err); ok {
		err = fmt.Errorf("line %d, column %d: %s", at.Pos.Line(), at.Pos.Col(), at.Text)
	}
	return file, err
}

func parse(text string) (*syntax.File, error) {
	if len(text) > mostText || nested(text) {
		return nil, errLarge
	}
	parser := parsers.Get().(*syntax.Parser)
	defer parsers.Put(parser)
	return parser.Parse(strings.NewReader(text), "")
}

// depths say how much deeper the text behind a character is.
var depths = [256]int{'(': 1, '{': 1, '`': 1, '[': 1, ')': -1, '}': -1, ']': -1}

// nested reports whether a text may open more brackets than the parser should get, because the
// parser is recursive.
func nested(text string) bool {
	open, most := 0, 0
	for _, c := range []byte(text) {
		open += depths[c]
		most = max(most, open)
	}
	return most > mostDepth
}

// A walker collects the parts of a text.
type walker struct {
	text  string
	parts []Part
	steps int
	large bool
}

// A scope is the state of a shell. A subshell has a copy.
type scope struct {
	functions map[string]*syntax.Stmt
	dir       Word
	jobs      []int // the parts that run in the background
}

func (s *scope) copied() *scope {
	return &scope{functions: maps.Clone(s.functions), dir: s.dir}
}

// A context says how a command stands in the line.
type context struct {
	background, followed, fed, loop, inner bool
	depth                                  int
}

func (w *walker) list(statements []*syntax.Stmt, s *scope, c context) {
	for i, statement := range statements {
		one := c
		one.followed = c.followed || i < len(statements)-1
		w.statement(statement, s, one)
	}
}

func (w *walker) statement(statement *syntax.Stmt, s *scope, c context) {
	if w.steps++; statement == nil || w.large || w.steps > 10*mostParts || c.depth > mostDepth {
		w.large = w.large || statement != nil
		return
	}
	for _, r := range statement.Redirs {
		c.fed = c.fed || slices.Contains([]syntax.RedirOperator{syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc}, r.Op)
	}
	c.depth++
	first := len(w.parts)
	outer := s
	if statement.Background {
		c.background, c.followed = true, false
		s = s.copied() // it runs in a subshell
	}
	w.substitutions(statement, s, c)
	w.command(statement.Cmd, s, c)
	if statement.Background {
		for i := first; i < len(w.parts); i++ {
			outer.jobs = append(outer.jobs, i)
		}
	}
}

// substitutions collects the commands in the words of a statement, except those of inner statements.
func (w *walker) substitutions(statement *syntax.Stmt, s *scope, c context) {
	c.followed, c.inner = true, true
	syntax.Walk(statement, func(node syntax.Node) bool {
		switch x := node.(type) {
		case *syntax.Stmt:
			return x == statement
		case *syntax.CmdSubst:
			w.list(x.Stmts, s.copied(), c)
			return false
		case *syntax.ProcSubst:
			one := c
			one.fed = c.fed || x.Op == syntax.CmdOut
			w.list(x.Stmts, s.copied(), one)
			return false
		}
		return true
	})
}

func (w *walker) command(command syntax.Command, s *scope, c context) {
	switch x := command.(type) {
	case *syntax.CallExpr:
		w.call(x, s, c)
	case *syntax.BinaryCmd:
		w.binary(x, s, c)
	case *syntax.Subshell:
		w.list(x.Stmts, s.copied(), c)
	case *syntax.Block:
		w.list(x.Stmts, s, c)
	case *syntax.IfClause:
		for ; x != nil; x = x.Else {
			cond := c
			cond.followed = true
			w.list(x.Cond, s, cond)
			w.list(x.Then, s, c)
		}
	case *syntax.WhileClause:
		w.while(x, s, c)
	case *syntax.ForClause:
		loop, isC := x.Loop.(*syntax.CStyleLoop)
		c.loop = c.loop || isC && loop.Cond == nil && !leaves(x.Do)
		c.followed = true
		w.list(x.Do, s, c)
	case *syntax.CaseClause:
		for _, item := range x.Items {
			w.list(item.Stmts, s, c)
		}
	case *syntax.FuncDecl:
		if x.Name != nil {
			s.functions[x.Name.Value] = x.Body
		}
	case *syntax.TimeClause:
		w.statement(x.Stmt, s, c)
	case *syntax.CoprocClause:
		c.background, c.fed = true, true
		w.statement(x.Stmt, s.copied(), c)
	}
}

func (w *walker) binary(x *syntax.BinaryCmd, s *scope, c context) {
	left, right, first, second := c, c, s, s
	switch x.Op {
	case syntax.AndStmt:
		left.followed = true
	case syntax.Pipe, syntax.PipeAll: // each side runs in a subshell
		right.fed = true
		first, second = s.copied(), s.copied()
	}
	w.statement(x.X, first, left)
	w.statement(x.Y, second, right)
}

func (w *walker) while(x *syntax.WhileClause, s *scope, c context) {
	forever := false
	if len(x.Cond) == 1 {
		if call, ok := x.Cond[0].Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			name, alone := call.Args[0].Lit(), len(call.Args) == 1
			forever = !x.Until && (alone && (name == "true" || name == ":") || !alone && name == "sleep") || x.Until && alone && name == "false"
		}
	}
	cond := c
	cond.followed = true
	c.loop = c.loop || forever && !leaves(x.Do)
	if !forever {
		w.list(x.Cond, s, cond)
	}
	c.followed = true
	w.list(x.Do, s, c)
}

// leaves reports whether the body of a loop may end the loop.
func leaves(body []*syntax.Stmt) (found bool) {
	syntax.Walk(&syntax.Block{Stmts: body}, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			found = found || slices.Contains([]string{"break", "exit", "return", "exec"}, call.Args[0].Lit())
		}
		return true
	})
	return found
}

func (w *walker) call(x *syntax.CallExpr, s *scope, c context) {
	if len(x.Args) == 0 {
		return
	}
	name := x.Args[0].Lit()
	if body, ok := s.functions[name]; ok && name != "" {
		delete(s.functions, name) // a recursive call is not followed
		w.statement(body, s, c)
		if s.functions[name] == nil {
			s.functions[name] = body
		}
		return
	}
	part := Part{
		Start: int(x.Pos().Offset()), End: int(x.End().Offset()), Dir: s.dir,
		Background: c.background, Followed: c.followed, Fed: c.fed, Loop: c.loop, Inner: c.inner,
	}
	for _, a := range x.Assigns {
		if a.Name != nil && a.Value != nil {
			part.Env = append(part.Env, a.Name.Value+"="+w.word(a.Value).Text)
		}
	}
	for _, arg := range x.Args {
		part.Args = append(part.Args, w.word(arg))
	}
	if w.parts = append(w.parts, part); len(w.parts) > mostParts {
		w.large = true
	}
	switch {
	case name == "cd" && len(part.Args) == 2:
		s.cd(part.Args[1])
	case name == "wait":
		for _, job := range s.jobs {
			w.parts[job].Background = c.background
		}
		s.jobs = nil
	}
}

// cd applies a cd command.
func (s *scope) cd(to Word) {
	switch {
	case to.Open || to.Text == "-" || strings.HasPrefix(to.Text, "~"):
		s.dir = Word{to.Text, true}
	case path.IsAbs(to.Text):
		s.dir = to
	default:
		s.dir.Text = path.Join(s.dir.Text, to.Text)
	}
}

// word returns a word as a program would get it.
func (w *walker) word(word *syntax.Word) Word {
	var b strings.Builder
	open := w.pieces(&b, word.Parts, false)
	return Word{b.String(), open}
}

func (w *walker) pieces(b *strings.Builder, pieces []syntax.WordPart, quoted bool) (open bool) {
	for _, piece := range pieces {
		switch x := piece.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(x.Value, quoted))
		case *syntax.SglQuoted:
			b.WriteString(x.Value)
		case *syntax.DblQuoted:
			open = w.pieces(b, x.Parts, true) || open
		case *syntax.ParamExp:
			open = true
			if x.Exp != nil && x.Exp.Word != nil && (x.Exp.Op == syntax.DefaultUnset || x.Exp.Op == syntax.DefaultUnsetOrNull) {
				w.pieces(b, x.Exp.Word.Parts, quoted)
				continue
			}
			w.source(b, piece)
		default:
			open = true
			w.source(b, piece)
		}
	}
	return open
}

// source writes a node as it is in the text.
func (w *walker) source(b *strings.Builder, node syntax.Node) {
	start, end := int(node.Pos().Offset()), int(node.End().Offset())
	if start <= end && end <= len(w.text) {
		b.WriteString(w.text[start:end])
	}
}

// unescape removes the backslashes that the shell removes.
func unescape(text string, quoted bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) || quoted && !strings.ContainsRune("$`\"\\\n", rune(text[i+1])) {
			b.WriteByte(text[i])
			continue
		}
		if i++; text[i] != '\n' {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}
