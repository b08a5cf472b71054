package line

import "strings"

// hash remembers the file of a program: -p FILE NAME, or NAME=FILE in zsh.
func (s *shell) hash(args []string) {
	if len(args) == 3 && args[0] == "-p" {
		s.aliases[args[2]] = Quote(args[1:2])
	}
	for _, arg := range args {
		if name, file, ok := strings.Cut(arg, "="); ok {
			s.aliases[name] = Quote([]string{file})
		}
	}
}

// removeFunctions remembers that functions may be there no longer.
func (s *shell) removeFunctions(names []string) {
	for _, name := range names {
		if _, ok := s.functions[name]; ok || strings.ContainsAny(name, Signs) {
			if s.ev.removed == nil {
				s.ev.removed = map[string]bool{}
			}
			s.ev.removed[name] = true
		}
	}
}

// alias defines aliases: NAME=TEXT, or NAME TEXT in fish. Those of zsh that stand for other words than the first one of a command
// are executed once.
func (s *shell) alias(args []string, c evalContext) {
	anywhere := false
	for i, arg := range args {
		name, text, ok := strings.Cut(arg, "=")
		switch {
		case strings.HasPrefix(arg, "-"):
			anywhere = anywhere || strings.Trim(arg[1:], "gs") == ""
		case ok && anywhere:
			s.ev.Tolerant++
			s.copied().evaluate(text, c)
			s.copied().evaluate(":"+text, c)
			s.ev.Tolerant--
		case ok:
			s.aliases[name] = text
		case i+1 < len(args) && s.dialect == dialectFish:
			s.aliases[name] = strings.Join(args[i+1:], " ")
			return
		}
	}
}
