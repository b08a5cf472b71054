package line

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (s *shell) list(statements []*syntax.Stmt, c evalContext) {
	for _, statement := range statements {
		s.statement(statement, c)
	}
}

func (s *shell) statement(statement *syntax.Stmt, c evalContext) {
	ev := s.ev
	if statement == nil || ev.large {
		return
	}
	if ev.steps++; ev.steps > mostSteps || c.depth > mostDepth {
		ev.large = true
		return
	}
	if statement.Background {
		s = s.copied()
		defer ev.perhaps(len(ev.written))
	}
	call, simple := statement.Cmd.(*syntax.CallExpr)
	if simple && len(call.Args) > 0 {
		s.call(call, statement.Redirs, c.deeper())
		return
	}
	redirs, c, file := s.redirections(statement.Redirs, c)
	if len(redirs) > 0 {
		ev.visit(&Command{Redirs: redirs, shell: s, context: c})
	}
	reads := len(redirs) == 1 && !redirs[0].Writes || len(redirs) == 0 && len(statement.Redirs) > 0 && s.dialect == dialectZsh
	if statement.Cmd == nil && reads && c.in != nil { // $(< file), and $(<<< text) of zsh
		c.out.add(c.in.Text)
	}
	if simple {
		s.assignments(call.Assigns)
	} else {
		s.compound(statement.Cmd, c.deeper())
	}
	s.written(file, c)
}

// A target is a file to which output goes.
type target struct {
	path   string
	append bool
}

// redirections applies redirections: it returns those of files, the context behind them, and the
// file that gets the output.
func (s *shell) redirections(all []*syntax.Redirect, c evalContext) (redirs []Redirect, inner evalContext, file target) {
	for _, r := range all {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			text := s.document(r)
			if r.Op == syntax.DashHdoc {
				text = withoutTabs(text)
			}
			if r.N == nil || r.N.Value == "0" {
				c.in = &Input{Text: text}
			}
			continue
		case syntax.WordHdoc:
			c.in = &Input{Text: s.only(r.Word, modeQuoted) + "\n"}
			continue
		}
		name := s.only(r.Word, modeQuoted)
		switch r.Op {
		case syntax.DplIn, syntax.DplOut:
			if r.Op == syntax.DplIn && (r.N == nil || r.N.Value == "0") {
				c.in = &Input{Text: Unknown}
			}
			if r.Op == syntax.DplOut && strings.Trim(name, "0123456789-") != "" { // >&FILE
				redirs, file = append(redirs, Redirect{name, true}), target{path: name}
				c.out = &output{}
			} else if r.Op == syntax.DplOut && (r.N == nil || r.N.Value == "1") && name != "1" {
				c.out = nil
			}
			continue
		case syntax.RdrIn:
			redirs = append(redirs, Redirect{name, false})
			if r.N == nil || r.N.Value == "0" {
				c.in = &Input{Text: s.read(name)}
			}
			continue
		}
		redirs = append(redirs, Redirect{name, true})
		if r.N == nil || r.N.Value == "1" || r.Op == syntax.RdrAll || r.Op == syntax.AppAll {
			file = target{name, r.Op == syntax.AppOut || r.Op == syntax.AppAll}
			c.out = &output{}
		}
	}
	return redirs, c, file
}

// document returns the text of a here-document. A quoted delimiter says that nothing in it is replaced.
func (s *shell) document(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	if delimiter := r.Word.Lit(); delimiter != "" && !strings.Contains(delimiter, `\`) {
		return s.only(r.Hdoc, modeQuoted)
	}
	var b strings.Builder
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	return b.String()
}

func withoutTabs(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimLeft(l, "\t")
	}
	return strings.Join(lines, "\n")
}

// written remembers the text of a file that the line has written.
func (s *shell) written(file target, c evalContext) {
	if file.path == "" || c.out == nil {
		return
	}
	text := c.out.text.String()
	if file.append {
		text = s.read(file.path) + text
	}
	s.remember(file.path, text)
}

func (s *shell) remember(name, text string) {
	if s.ev.files == nil {
		s.ev.files = map[string]string{}
	}
	file := s.absolute(name)
	before, made := s.ev.files[file]
	s.ev.written = append(s.ev.written, written{file, before, made})
	s.ev.files[file] = text
}

// absolute returns a path from the root, or with a sign.
func (s *shell) absolute(name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(s.dir, name)
}

// read returns the text of a file, Unknown if it is not known.
func (s *shell) read(name string) string {
	name = s.absolute(name)
	if text, ok := s.ev.files[name]; ok {
		return text
	}
	if s.ev.Read != nil && !strings.ContainsAny(name, Signs) {
		if text, ok := s.ev.Read(name); ok && !strings.ContainsAny(text, Signs) {
			return text
		}
	}
	return Unknown
}

func (s *shell) compound(command syntax.Command, c evalContext) {
	switch x := command.(type) {
	case *syntax.BinaryCmd:
		s.binary(x, c)
	case *syntax.Subshell:
		s.copied().list(x.Stmts, c)
	case *syntax.Block:
		s.list(x.Stmts, c)
	case *syntax.IfClause:
		for ; x != nil; x = x.Else {
			s.list(x.Cond, c)
			s.maybe(c, func(s *shell) { s.list(x.Then, c) })
		}
	case *syntax.WhileClause:
		s.list(x.Cond, c)
		for range 2 { // what the body changes is seen by its next round
			s.maybe(c, func(s *shell) { s.list(x.Do, c); s.list(x.Cond, c) })
		}
	case *syntax.ForClause:
		s.loop(x, c)
	case *syntax.CaseClause:
		s.only(x.Word, modeQuoted)
		for _, item := range x.Items {
			s.maybe(c, func(s *shell) { s.list(item.Stmts, c) })
		}
	case *syntax.FuncDecl:
		if x.Name != nil {
			s.functions[x.Name.Value] = x.Body
			if hookOf(x.Name.Value) == hookFunction {
				other := s.copied()
				other.params, other.known = []string{Names}, true
				other.statement(x.Body, c)
			}
		}
	case *syntax.TimeClause:
		s.statement(x.Stmt, c)
	case *syntax.CoprocClause:
		c.in = &Input{Text: Unknown}
		s.copied().statement(x.Stmt, c)
	case *syntax.DeclClause:
		s.declare(x)
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		s.ev.opened = s.ev.opened || s.dialect == dialectFish // fish has no such brackets: it executes what is behind || in them
		s.substitutions(command)
	}
}

// substitutions evaluates the commands in the words of a node that executes nothing else.
func (s *shell) substitutions(node syntax.Node) {
	if node == nil { // as before the colon of ${X::1}
		return
	}
	syntax.Walk(node, func(node syntax.Node) bool {
		switch x := node.(type) {
		case *syntax.Word:
			s.subscripts(s.only(x, modeQuoted))
			return false
		case *syntax.UnaryArithm:
			if x.Op == syntax.Inc || x.Op == syntax.Dec {
				s.counted(x.X, Names)
			}
		case *syntax.BinaryArithm:
			if n, ok := s.number(x.Y); x.Op == syntax.Assgn && ok {
				s.counted(x.X, strconv.Itoa(n))
			} else if strings.HasSuffix(x.Op.String(), "=") && !slices.Contains([]string{"==", "!=", "<=", ">="}, x.Op.String()) {
				s.counted(x.X, Names)
			}
		}
		return true
	})
}

// counted sets a variable, or an element of an array, to the value of an arithmetic expression.
func (s *shell) counted(x syntax.ArithmExpr, value string) {
	word, ok := x.(*syntax.Word)
	if !ok || len(word.Parts) == 0 {
		return
	}
	name := word.Lit()
	if param, ok := word.Parts[0].(*syntax.ParamExp); ok && param.Index != nil && param.Param != nil {
		name = param.Param.Value + "[]"
	}
	if name != "" {
		s.put(name, variable{values: []string{value}})
	}
}

func (s *shell) binary(x *syntax.BinaryCmd, c evalContext) {
	switch x.Op {
	case syntax.Pipe, syntax.PipeAll:
		left, right := c, c
		left.out = &output{}
		s.copied().statement(x.X, left)
		right.in = &Input{Text: left.out.text.String()}
		if s.dialect == dialectBash { // others execute the last command of a pipe in the shell itself
			s = s.copied()
		}
		s.statement(x.Y, right)
	case syntax.OrStmt:
		s.statement(x.X, c)
		s.maybe(c, func(s *shell) { s.statement(x.Y, c) })
	default:
		s.statement(x.X, c)
		s.and(x.Y, c)
	}
}

// fewItems is the number of items for which the body of a loop is evaluated one by one.
const fewItems = 8

func (s *shell) loop(x *syntax.ForClause, c evalContext) {
	words, ok := x.Loop.(*syntax.WordIter)
	if !ok {
		s.substitutions(x.Loop)
		for range 2 {
			s.maybe(c, func(s *shell) { s.list(x.Do, c) })
		}
		return
	}
	var items []string
	if !words.InPos.IsValid() {
		items = s.parameters()
	}
	for _, word := range words.Items {
		items = append(items, s.fields(word)...)
	}
	if x.Select {
		items = append(items, Unknown)
	}
	if len(items) <= fewItems && c.depth < 10 {
		for _, item := range items {
			s.put(words.Name.Value, variable{values: []string{item}})
			s.list(x.Do, c)
		}
		return
	}
	values := union(nil, items)
	if len(values) == 1 && values[0] == Unknown && !hasSpecial(items) {
		values = []string{Names}
	}
	s.put(words.Name.Value, variable{values: values})
	for range 2 {
		s.maybe(c, func(s *shell) { s.list(x.Do, c) })
	}
}

// hasSpecial reports whether one of some words may be more than a name.
func hasSpecial(words []string) bool {
	for _, word := range words {
		if strings.ContainsAny(word, "/"+Unknown+Computed) || word == ".." || strings.HasPrefix(word, "-") {
			return true
		}
	}
	return false
}
