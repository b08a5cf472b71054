package line

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A hook says what bash itself does with the value of a variable, or with a function, that has a certain name.
type hook uint8

const (
	hookNone     hook = iota
	hookPrompt        // the value is expanded, and its commands are executed
	hookLine          // the value is executed
	hookFile          // the value is expanded and names a file that is executed
	hookAlias         // the elements are aliases, by their index
	hookFunction      // the shell calls the function by itself
)

// hookOf returns the hook with a name. See "Shell Variables" and "COMMAND EXECUTION" in bash(1).
func hookOf(name string) hook {
	switch name {
	case "PS0", "PS1", "PS2", "PS4":
		return hookPrompt
	case "PROMPT_COMMAND":
		return hookLine
	case "BASH_ENV", "ENV":
		return hookFile
	case "BASH_ALIASES", "BASH_CMDS", "aliases", "galiases", "saliases", "functions", "commands": // zshmodules(1), "zsh/parameter"
		return hookAlias
	case "chpwd_functions", "periodic_functions", "precmd_functions", "preexec_functions", "zshaddhistory_functions", "zshexit_functions",
		"zsh_directory_name_functions": // zshmisc(1), "Hook Functions"
		return hookLine
	case "command_not_found_handle", "command_not_found_handler", "precmd", "preexec", "chpwd", "periodic", "zshexit", "fish_prompt":
		return hookFunction
	}
	if strings.HasPrefix(name, "TRAP") { // zshmisc(1), "Trap Functions"
		return hookFunction
	}
	return hookNone
}

// put sets a variable, or that which it refers to, and evaluates what bash executes of the value.
func (s *shell) put(name string, v variable) {
	if base, _, element := strings.Cut(name, "["); element { // as printf -v 'x[1]'
		s.subscripts(name)
		name, v = base, variable{list: true, array: []string{Unknown}, named: s.vars[s.referred(base)].named}
	}
	name = s.referred(name)
	for _, value := range v.values {
		s.hooked(name, value)
	}
	for _, value := range v.array {
		s.hooked(name, value)
	}
	if old := s.vars[name]; old.fixed { // perhaps: a shell may have no such variables
		v = old.or(v)
		v.fixed = true
	}
	s.vars[name] = v
}

// imported takes a function from a variable of the environment, as bash does: BASH_FUNC_NAME%%=() { … }.
func (s *shell) imported(variable, value string, c evalContext) {
	name, begins := strings.CutPrefix(variable, "BASH_FUNC_")
	name, ends := strings.CutSuffix(name, "%%")
	if begins && ends && strings.HasPrefix(value, "()") {
		s.ev.Tolerant++
		s.evaluate(name+value, c)
		s.ev.Tolerant--
	}
}

// mostReferences is the most variables with `declare -n` that refer to each other.
const mostReferences = 8

// referred returns the name of the variable that a name stands for.
func (s *shell) referred(name string) string {
	for range mostReferences {
		v := s.vars[name]
		if v.refers == "" {
			break
		}
		name = v.refers
	}
	return name
}

// hooked evaluates what bash executes of a value that a variable gets.
func (s *shell) hooked(name, value string) {
	s.subscripts(value)
	kind := hookOf(name)
	if kind == hookNone || value == "" || s.ev.large {
		return
	}
	c := evalContext{depth: s.ev.nesting + 1}
	s.ev.Tolerant++
	s.ev.nesting++
	switch kind {
	case hookPrompt:
		s.expanded(value)
	case hookLine:
		s.copied().evaluate(value, c)
	case hookFile:
		s.copied().source([]string{s.expanded(value)}, c)
	}
	s.ev.nesting--
	s.ev.Tolerant--
}

// entry applies NAME[INDEX]=VALUE.
func (s *shell) entry(name string, index syntax.ArithmExpr, value string) {
	s.substitutions(index)
	if word, ok := index.(*syntax.Word); ok && hookOf(name) == hookAlias {
		s.aliases[s.only(word, modeQuoted)] = value
	}
}

// subscripts evaluates the commands in a text such as x[$(command)]. Where bash takes a text for an expression or for the
// name of a variable, it expands what is in the brackets: in $((…)), in declare -i, behind [[ -v. Nobody writes
// such a text for another purpose.
func (s *shell) subscripts(text string) {
	i := strings.IndexByte(text, '[')
	if i > 0 && isName("_"+text[i-1:i]) && (strings.Contains(text[i:], "$(") || strings.Contains(text[i:], "`")) {
		s.expanded(text[i:])
	}
}

// expanded returns a text with its variables and commands replaced, as in a here-document.
func (s *shell) expanded(text string) string {
	ev := s.ev
	if ev.size += len(text); len(text) > mostText || ev.size > mostEvaluated || ev.nesting > mostNested || Nested(text) {
		ev.large = ev.large || ev.Scripts+ev.Tolerant == 0
		return Unknown
	}
	parser := parsers.Get().(*syntax.Parser)
	defer parsers.Put(parser)
	word, err := parser.Document(strings.NewReader(text))
	if err != nil {
		return Unknown
	}
	ev.nesting++
	defer func() { ev.nesting-- }()
	return s.only(word, modeQuoted)
}
