package line

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call evaluates a simple command with all that its words may be.
func (s *shell) call(x *syntax.CallExpr, redirs []*syntax.Redirect, c evalContext) {
	files, inner, file := s.redirections(redirs, c)
	var env []string
	for _, a := range x.Assigns {
		if a.Name != nil && a.Value != nil {
			value := s.only(a.Value, modeAssign)
			s.hooked(a.Name.Value, value)
			env = append(env, a.Name.Value+"="+value)
		}
	}
	commands := s.product(x.Args)
	loose := slices.ContainsFunc(x.Args[1:], splits)
	since := inner.out.len()
	for _, words := range commands {
		if len(words) == 0 {
			if len(files) > 0 {
				s.ev.visit(&Command{Redirs: files, shell: s, context: inner})
			}
			continue
		}
		s.simple(&Command{
			Words: words, Env: env, Redirs: files, Input: inner.in, Loose: loose && slices.Contains(words[1:], Unknown), shell: s, context: inner,
		})
	}
	if len(commands) > 1 {
		inner.out.settle(since)
	}
	s.written(file, inner)
}

// splits reports whether a word is one that the shell inserts and may split: $X, $(…), "$@".
func splits(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	part := word.Parts[0]
	quoted, ok := part.(*syntax.DblQuoted)
	if ok && len(quoted.Parts) == 1 {
		part = quoted.Parts[0]
	}
	switch x := part.(type) {
	case *syntax.ParamExp:
		index, _ := x.Index.(*syntax.Word)
		return !ok || x.Param != nil && x.Param.Value == "@" || index != nil && index.Lit() == "@"
	case *syntax.CmdSubst:
		return !ok
	}
	return false
}

// product returns the words of all commands that some words may be.
func (s *shell) product(words []*syntax.Word) [][]string {
	commands := [][]string{nil}
	for _, word := range words {
		if s.ev.large {
			return nil
		}
		several := s.alternatives(word, modeWord)
		if len(several) > 1 && len(several)*len(commands) > mostAlternatives {
			several = [][]string{{Unknown}}
		}
		if len(several) == 1 && len(commands) == 1 { // as nearly all are
			commands[0] = append(commands[0], several[0]...)
			continue
		}
		var next [][]string
		for _, command := range commands {
			for _, fields := range several {
				next = append(next, append(command[:len(command):len(command)], fields...))
			}
		}
		commands = next
	}
	return commands
}

// simple executes a command: a function, an alias, a command of the shell itself, or a program.
func (s *shell) simple(c *Command) {
	if name := c.Words[0]; s.functions[name] == nil && s.aliases[name] == "" { // bash may have a program of such a name
		whole := *c
		if c.executed(); len(c.Words) < len(whole.Words) && s.dialect == dialectBash {
			s.ev.visit(&whole)
		}
	}
	name := c.Words[0]
	if body, ok := s.functions[name]; ok {
		delete(s.functions, name) // a recursive call is not followed
		params, known := s.params, s.known
		saved := s.saved
		s.params, s.known, s.saved = c.Words[1:], true, map[string]variableOrNone{}
		s.statement(body, c.context.deeper())
		s.params, s.known = params, known
		s.restore(saved)
		if s.functions[name] == nil {
			s.functions[name] = body
		}
		if s.ev.removed[name] {
			s.ev.visit(c)
		}
		return
	}
	if text, ok := s.aliases[name]; ok {
		delete(s.aliases, name)
		since := c.context.out.len()
		s.evaluate(text+" "+Quote(c.Words[1:]), c.context)
		s.aliases[name] = text
		c.context.out.add(s.ev.visit(c)) // a shell that asks for no lines knows no aliases
		c.context.out.settle(since)
		return
	}
	c.context.out.add(s.ev.visit(c))
	s.builtin(c)
}

// visit gives a command to the caller of the evaluation.
func (ev *Evaluation) visit(c *Command) string {
	if ev.commands++; ev.commands > mostCommands || ev.large {
		ev.large = true
		return Unknown
	}
	return ev.Visit(c)
}

// named evaluates what is in the names of variables that a command of the shell gets.
func (s *shell) named(c *Command) {
	switch c.Words[0] {
	case "test", "[", "printf", "read", "mapfile", "readarray", "unset", "let", "declare", "typeset", "local", "export", "readonly", "wait":
		for _, arg := range c.Words[1:] {
			s.subscripts(arg)
		}
	}
}

// builtin changes the state of the shell as its own commands do.
func (s *shell) builtin(c *Command) {
	args := c.Words[1:]
	s.named(c)
	switch c.Words[0] {
	case "builtin", "command":
		s.innerBuiltin(c, args)
	case "cd":
		s.cd(c, args)
	case "pushd":
		s.pushd(c, args)
	case "popd":
		s.popd(args)
	case "eval":
		s.ev.opened = s.ev.opened || strings.ContainsAny(strings.Join(args, ""), Unknown+Computed)
		s.evaluate(strings.Join(operands(args), " "), c.context)
	case "trap":
		if args = operands(args); len(args) > 1 {
			s.copied().evaluate(args[0], c.context)
		}
	case "source", ".":
		if args = operands(args); len(args) > 0 && args[0] != "-" {
			s.source(args, c.context)
		} else if c.Input != nil { // as fish does
			s.evaluate(c.Input.Text, c.context)
		}
	case "alias":
		s.alias(args, c.context)
	case "hash":
		s.hash(args)
	case "export", "declare", "typeset", "local", "readonly":
		for _, arg := range args { // only those that the parser does not take as a declaration
			s.assign(arg)
		}
	case "unset":
		for _, arg := range args {
			s.unsetVariable(arg)
		}
		s.removeFunctions(args)
	case "unfunction", "unhash", "functions": // of zsh and fish
		s.changeFunctions(args)
	case "set":
		if s.dialect == dialectFish {
			s.setFish(args)
		} else {
			s.set(args)
		}
	case "shift":
		if s.known && len(s.params) > 0 {
			s.params = s.params[1:]
		}
	case "read", "mapfile", "readarray", "getopts":
		s.readVariables(c, args)
	case "printf", "print": // print of zsh
		if len(args) > 2 && args[0] == "-v" && (c.Words[0] == "printf" || s.dialect == dialectZsh) {
			s.put(args[1], variable{values: []string{format(args[2:])}})
		}
	}
}

// innerBuiltin runs the built-in command that builtin or command names.
func (s *shell) innerBuiltin(c *Command, args []string) {
	for len(args) > 0 && (args[0] == "-p" || args[0] == "--") {
		args = args[1:]
	}
	if len(args) > 0 && slices.Contains([]string{"eval", "cd", "source", ".", "export", "alias", "set", "builtin", "command"}, args[0]) {
		inner := *c
		inner.Words = args
		s.builtin(&inner)
	}
}

// unsetVariable removes a variable, or an element of an array.
func (s *shell) unsetVariable(name string) {
	if array, _, element := strings.Cut(name, "["); element {
		s.vars[s.referred(array)] = variable{list: true, array: []string{Unknown}}
		return
	}
	s.vars[name] = variable{values: []string{""}}
}

func operands(args []string) []string {
	if len(args) > 0 && args[0] == "--" {
		return args[1:]
	}
	return args
}

// assign applies NAME=VALUE.
func (s *shell) assign(text string) {
	if name, value, ok := strings.Cut(text, "="); ok && name != "" {
		s.put(name, variable{values: []string{value}})
		s.ev.opened = s.ev.opened || strings.ContainsAny(name, Signs)
	} else if !ok && strings.ContainsAny(text, Signs) {
		s.ev.opened = true
	}
}

func (s *shell) cd(c *Command, args []string) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		args = args[1:]
	}
	to := ""
	switch {
	case len(args) == 0:
		to = s.one("HOME")
	case args[0] == "-":
		to = s.before
	case strings.Contains(args[0], Unknown), strings.Contains(args[0], Computed):
		to = Unknown
	case path.IsAbs(args[0]):
		to = path.Clean(args[0])
	case args[0] != "" && args[0][0] != '.' && c.own("CDPATH"): // it may lead elsewhere
		to = Unknown
	case s.dir == "" || strings.ContainsAny(s.dir, Unknown+Computed):
		to = path.Join(s.dir, args[0])
		if strings.HasPrefix(to, "..") || s.dir != "" {
			to = Unknown
		}
	default:
		to = s.dir + "/" + args[0] // links are followed later
	}
	s.before, s.dir = s.dir, to
}

// pushd goes to a folder, and keeps the one that it leaves. Other forms change the order of the folders.
func (s *shell) pushd(c *Command, args []string) {
	if args = operands(args); len(args) != 1 || args[0] == "" || args[0][0] == '-' || args[0][0] == '+' {
		s.before, s.dir, s.pushed = s.dir, Unknown, nil
		return
	}
	s.pushed = append(s.pushed[:len(s.pushed):len(s.pushed)], s.dir)
	s.cd(c, args)
}

// popd goes back to the folder that the last pushd has left.
func (s *shell) popd(args []string) {
	last := len(s.pushed) - 1
	if len(args) > 0 || last < 0 {
		s.before, s.dir, s.pushed = s.dir, Unknown, nil
		return
	}
	s.before, s.dir, s.pushed = s.dir, s.pushed[last], s.pushed[:last]
}

func (s *shell) source(args []string, c evalContext) {
	text := s.read(args[0])
	if text == Unknown {
		s.ev.opened = true
		return
	}
	if len(args) > 1 {
		params := s.params
		s.params = args[1:]
		defer func() { s.params = params }()
	}
	if _, ok := s.ev.files[s.absolute(args[0])]; ok {
		s.evaluate(text, c)
		return
	}
	s.ev.Script(func() { s.evaluate(text, c) })
}

// set sets the parameters of the shell.
func (s *shell) set(args []string) {
	for i, arg := range args {
		switch {
		case arg == "--":
			s.params, s.known = args[i+1:], true
			return
		case arg == "" || arg[0] != '-' && arg[0] != '+':
			s.params, s.known = args[i:], true
			return
		}
	}
}

// readVariables sets the variables that a command reads.
func (s *shell) readVariables(c *Command, args []string) {
	value := Unknown
	if c.Input != nil && !strings.ContainsAny(c.Input.Text, Signs) && c.Words[0] == "read" {
		value, _, _ = strings.Cut(c.Input.Text, "\n")
	} else if c.Input != nil && strings.Trim(c.Input.Text, Names+"\n") == "" {
		value = Names
	}
	var names []string
	for _, arg := range args {
		if base, _, _ := strings.Cut(arg, "["); isName(base) {
			names = append(names, arg)
		}
	}
	if len(names) == 0 {
		names = []string{"REPLY"}
	}
	for i, name := range names {
		one := value
		if len(names) > 1 && value != Unknown && value != Names {
			words := s.words(value, c.Env)
			one = strings.Join(words[min(i, len(words)):], " ")
			if i < len(names)-1 && i < len(words) {
				one = words[i]
			}
		}
		if c.Words[0] == "read" {
			s.put(name, variable{values: []string{one}})
		} else {
			s.put(name, variable{list: true, array: []string{Unknown}})
		}
	}
}

// words splits what read reads. Its own IFS counts.
func (s *shell) words(text string, env []string) []string {
	separators := s.separators()
	for _, one := range env {
		if value, ok := strings.CutPrefix(one, "IFS="); ok {
			separators = value
		}
	}
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) })
}

// isName reports whether a text is the name of a variable.
func isName(text string) bool {
	return text != "" && (text[0] < '0' || text[0] > '9') &&
		strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// Quote writes words so that a shell reads them as they are.
func Quote(words []string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("'" + strings.ReplaceAll(word, "'", `'\''`) + "'")
	}
	return b.String()
}
