package guard

import (
	"cmp"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"devtools/stack/line"
)

// Signs stand in a word for what is known only when the line runs. No line may have them.
const (
	unknown    = "\x01" // anything
	anyName    = "\x02" // a name or a number: no option, and no path with a slash
	downloaded = "\x03" // what the network sends
	signs      = unknown + anyName + downloaded
)

// The limits of a call, so that none takes long.
const (
	mostSteps  = 10000
	mostNested = 40
	mostItems  = 30       // words of a loop, and paths that are put into a command
	mostWords  = 1000     // elements of a list
	mostValue  = 64 << 10 // bytes of a variable, and of what a command prints
)

// A shell is the state of a shell that would execute a line: its variables, functions and folder.
type shell struct {
	judge     *judge
	vars      map[string]expand.Variable
	functions map[string]*syntax.Stmt
	dir       string // working directory; may have signs
	before    string // the one before
	open      bool   // something that nobody sees may have set variables
	depth     int
}

// The files of the redirections of a command.
type redirections struct{ written, read []string }

// copied returns the shell of a subshell.
func (s *shell) copied() *shell {
	c := *s
	c.vars, c.functions = maps.Clone(s.vars), maps.Clone(s.functions)
	c.depth++
	return &c
}

// text walks over the commands of a text, and returns what they would print, as far as that is known.
func (s *shell) text(text string, in *string) string {
	if s.depth++; s.depth > mostNested {
		s.judge.unreadable("its commands are nested too deeply for devtools to follow")
		return unknown
	}
	defer func() { s.depth-- }()
	file, err := line.Tree(text)
	if err != nil {
		s.judge.unreadable(notUnderstood(err))
		return unknown
	}
	return s.list(file.Stmts, in)
}

func (s *shell) list(statements []*syntax.Stmt, in *string) (out string) {
	for _, statement := range statements {
		out += s.statement(statement, in)
	}
	return cut(out)
}

// cut returns a text with its end left out, if it is too long.
func cut(text string) string {
	if len(text) > mostValue {
		return text[:mostValue] + "\n" + unknown
	}
	return text
}

// statement walks over a command with its redirections.
func (s *shell) statement(statement *syntax.Stmt, in *string) (out string) {
	if s.judge.steps++; s.judge.steps > mostSteps || s.depth > mostNested {
		s.judge.unreadable("it has more commands than devtools looks at")
		return unknown
	}
	to, files := "", redirections{}
	for _, r := range statement.Redirs {
		word := s.word(r.Word)
		text := word
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			text = s.expanded(expand.Document, r.Hdoc)
			in = &text
		case syntax.WordHdoc:
			in = &text
		case syntax.RdrIn:
			text = s.judge.text(s.absolute(word))
			in, files.read = &text, append(files.read, word)
		default:
			if r.Op == syntax.DplIn || r.Op == syntax.DplOut && strings.Trim(word, "0123456789-") == "" {
				break // it is a descriptor
			}
			files.written = append(files.written, word)
			if r.N == nil || r.N.Value == "1" {
				to = path.Clean(s.absolute(word))
			}
			if _, made := s.judge.made[to]; !made && to != "" && (r.Op == syntax.AppOut || r.Op == syntax.AppAll) {
				s.judge.made[to] = s.judge.text(to)
			}
		}
	}
	if x, ok := statement.Cmd.(*syntax.CallExpr); ok {
		out = s.call(x, in, files)
	} else {
		s.redirected(files)
		if out = s.compound(statement.Cmd, in); statement.Cmd == nil && in != nil { // as in $(<FILE)
			out = *in
		}
	}
	if to == "" {
		return out
	}
	s.judge.made[to] = cut(s.judge.made[to] + out)
	return ""
}

// redirected judges redirections that belong to no program.
func (s *shell) redirected(files redirections) {
	if len(files.written)+len(files.read) > 0 {
		s.judge.record(&command{shell: s, table: &line.Program{}, redirected: files}, true)
	}
}

func (s *shell) compound(command syntax.Command, in *string) (out string) {
	switch x := command.(type) {
	case nil:
	case *syntax.BinaryCmd:
		if x.Op == syntax.Pipe || x.Op == syntax.PipeAll {
			left := s.copied().statement(x.X, in)
			return s.copied().statement(x.Y, &left)
		}
		return s.statement(x.X, in) + s.statement(x.Y, in)
	case *syntax.Subshell:
		return s.copied().list(x.Stmts, in)
	case *syntax.Block:
		return s.list(x.Stmts, in)
	case *syntax.IfClause:
		for ; x != nil; x = x.Else {
			out += s.list(x.Cond, in) + s.list(x.Then, in)
		}
	case *syntax.WhileClause:
		return s.list(x.Cond, in) + s.list(x.Do, in)
	case *syntax.ForClause:
		return s.loop(x, in)
	case *syntax.CaseClause:
		s.word(x.Word)
		for _, item := range x.Items {
			out += s.list(item.Stmts, in)
		}
	case *syntax.FuncDecl:
		if x.Name != nil {
			s.functions[x.Name.Value] = x.Body
		}
	case *syntax.TimeClause:
		if x.Stmt != nil {
			return s.statement(x.Stmt, in)
		}
	case *syntax.CoprocClause:
		return s.copied().statement(x.Stmt, in)
	case *syntax.DeclClause:
		for _, a := range x.Args {
			s.assign(a)
		}
	default:
		s.substitutions(command)
	}
	return out
}

// loop walks over the body of a loop for each word, or once if there is none.
func (s *shell) loop(x *syntax.ForClause, in *string) (out string) {
	iter, ok := x.Loop.(*syntax.WordIter)
	if !ok {
		s.substitutions(x.Loop)
		return s.list(x.Do, in)
	}
	items := s.vars["@"].List
	if iter.InPos.IsValid() {
		items = s.fields(iter.Items...)
	}
	if len(items) == 0 {
		items = []string{anyName}
	}
	for _, item := range few(items) {
		s.set(iter.Name.Value, item)
		out += s.list(x.Do, in)
	}
	return out
}

// few returns the first words of many, and one that stands for the rest.
func few(words []string) []string {
	if len(words) <= mostItems {
		return words
	}
	rest := anyName
	if strings.ContainsAny(strings.Join(words[mostItems:], ""), "/"+open) {
		rest = unknown
	}
	return append(words[:mostItems:mostItems], rest)
}

// substitutions walks over the commands in the words of a node.
func (s *shell) substitutions(node syntax.Node) {
	syntax.Walk(node, func(node syntax.Node) bool {
		x, ok := node.(*syntax.CmdSubst)
		if ok {
			s.copied().list(x.Stmts, nil)
		}
		return !ok
	})
}

// call walks over a simple command.
func (s *shell) call(x *syntax.CallExpr, in *string, redirected redirections) string {
	words := s.fields(x.Args...)
	if len(x.Assigns) > 0 && len(words) > 0 { // they are variables of the program alone
		s = s.copied()
	}
	for _, a := range x.Assigns {
		s.assign(a)
	}
	if len(words) == 0 {
		s.redirected(redirected)
		return ""
	}
	if body, ok := s.functions[words[0]]; ok {
		delete(s.functions, words[0]) // a recursive call is not followed
		params := s.vars["@"]
		s.setList("@", words[1:])
		s.redirected(redirected)
		out := s.statement(body, in)
		s.vars["@"], s.functions[words[0]] = params, body
		return out
	}
	return s.start(words, in, redirected)
}

func (s *shell) set(name, value string) {
	if len(value) > mostValue {
		value = unknown
	}
	s.vars[name] = expand.Variable{Set: true, Kind: expand.String, Str: value}
}

// setList sets an array.
func (s *shell) setList(name string, list []string) {
	if len(list) > mostWords {
		list = []string{unknown}
	}
	s.vars[name] = expand.Variable{Set: true, Kind: expand.Indexed, List: list}
}

// assign gives a variable a value.
func (s *shell) assign(a *syntax.Assign) {
	switch {
	case a.Name == nil || a.Naked:
		s.word(a.Value)
	case a.Array != nil:
		var list []string
		if old := s.vars[a.Name.Value]; a.Append {
			list = old.List
		}
		for _, element := range a.Array.Elems {
			if element.Value != nil {
				list = append(list, s.fields(element.Value)...)
			}
		}
		s.setList(a.Name.Value, list)
	case a.Index != nil:
		s.setList(a.Name.Value, append(slices.Clone(s.vars[a.Name.Value].List), s.word(a.Value)))
	default:
		value := s.word(a.Value)
		if a.Append {
			value = s.Get(a.Name.Value).String() + value
		}
		s.set(a.Name.Value, value)
	}
}

// Get returns a variable: one that the line has set, or one of the few of the environment that count as literal. Others that the
// environment has are unknown. It makes a shell an expand.WriteEnviron.
func (s *shell) Get(name string) expand.Variable {
	value := anyName
	if v, ok := s.vars[name]; ok {
		s.judge.steps += len(v.Str) / 256 // what is done to a long one takes long
		return v
	}
	if _, err := strconv.Atoi(name); err == nil || name == "@" || name == "*" {
		return s.parameter(name)
	}
	switch name {
	case "PWD":
		value = s.dir
	case "HOME", "TMPDIR":
		of, set, known := s.judge.variable(name)
		if !set && known {
			return expand.Variable{}
		}
		value = filepath.ToSlash(cmp.Or(of, map[string]string{"HOME": "/" + unknown, "TMPDIR": "/tmp"}[name]))
	case "?", "$", "!", "#", "-", "PPID", "LINENO", "RANDOM", "SECONDS", "UID", "EUID", "USER", "LOGNAME", "HOSTNAME", "OSTYPE":
	case "IFS":
		return expand.Variable{}
	default:
		if user, ok := strings.CutPrefix(name, "HOME "); ok {
			value = "/home/" + user // it is not the own one
			break
		}
		if _, set, known := s.judge.variable(name); !set && known && !s.open {
			return expand.Variable{}
		}
		value = unknown
	}
	return expand.Variable{Set: true, Kind: expand.String, Str: value}
}

// parameter returns one of the parameters of the shell, or all of them.
func (s *shell) parameter(name string) expand.Variable {
	all, ok := s.vars["@"]
	switch n, err := strconv.Atoi(name); {
	case !ok:
		return expand.Variable{Set: true, Kind: expand.String, Str: unknown}
	case err != nil:
		return all
	case n > 0 && n <= len(all.List):
		return expand.Variable{Set: true, Kind: expand.String, Str: all.List[n-1]}
	}
	return expand.Variable{}
}

// Each is there for expand.WriteEnviron: nothing here needs the names of variables.
func (s *shell) Each(func(name string, v expand.Variable) bool) {}

// Set is there for expand.WriteEnviron: ${NAME:=VALUE} sets a variable.
func (s *shell) Set(name string, v expand.Variable) error {
	s.set(name, v.String())
	return nil
}

func (s *shell) config() *expand.Config {
	return &expand.Config{
		Env: s,
		CmdSubst: func(w io.Writer, x *syntax.CmdSubst) error {
			_, err := io.WriteString(w, s.copied().list(x.Stmts, nil))
			return err
		},
		ProcSubst: func(x *syntax.ProcSubst) (string, error) {
			file := "/dev/fd/" + strconv.Itoa(len(s.judge.made))
			s.judge.made[file] = s.copied().list(x.Stmts, nil)
			return file, nil
		},
	}
}

// fields returns words as a program gets them.
func (s *shell) fields(words ...*syntax.Word) (fields []string) {
	for _, word := range words {
		if braces, sequence := bracesIn(word); sequence { // one word stands for all
			fields = append(fields, s.word(word))
			continue
		} else if braces > mostBraces || len(fields) > mostWords {
			s.judge.unreadable("it has more words than devtools looks at")
			return fields
		}
		list, err := expand.Fields(s.config(), word)
		if err != nil {
			list = []string{unknown}
		}
		fields = append(fields, list...)
	}
	return fields
}

// mostBraces is the most commas in braces and braces of a word, which make many words of one.
const mostBraces = 40

// bracesIn counts the commas and braces of a word that braces may expand, and reports whether there is a sequence such as {1..9}.
func bracesIn(word *syntax.Word) (n int, sequence bool) {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			n += strings.Count(lit.Value, ",") + 10*strings.Count(lit.Value, "{")
			sequence = sequence || strings.Contains(lit.Value, "..")
		}
	}
	return n, sequence
}

// word returns a word as one text.
func (s *shell) word(word *syntax.Word) string { return s.expanded(expand.Literal, word) }

func (s *shell) expanded(by func(*expand.Config, *syntax.Word) (string, error), word *syntax.Word) string {
	if word == nil {
		return ""
	}
	text, err := by(s.config(), word)
	if err != nil {
		return unknown
	}
	return text
}

// absolute returns a path from the root. It begins with a sign if the folder is not known.
func (s *shell) absolute(name string) string { return below(s.dir, name) }

// below returns a path from the root that is seen from a folder.
func below(folder, name string) string {
	if path.IsAbs(name) || strings.HasPrefix(name, unknown) || strings.HasPrefix(name, downloaded) {
		return name
	}
	return folder + "/" + name
}
