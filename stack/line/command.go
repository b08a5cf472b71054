package line

import (
	"path"
	"slices"
	"strings"
)

// Dir returns the folder in which the command is executed. It has a sign if it is not known.
func (c *Command) Dir() string { return c.shell.dir }

// Absolute returns a path from the root, without its links and ".." resolved. It is relative if the
// folder of the command is not known.
func (c *Command) Absolute(name string) string {
	if path.IsAbs(name) || c.shell.dir == "" {
		return name
	}
	return c.shell.dir + "/" + name
}

// Depth returns how deep the command is nested.
func (c *Command) Depth() int { return c.context.depth }

// Value returns a variable that the command sees: what it may be.
func (c *Command) Value(name string) []string {
	for _, env := range c.Env {
		if value, ok := strings.CutPrefix(env, name+"="); ok {
			return []string{value}
		}
	}
	return c.shell.scalar(name)
}

// Own returns what a variable may be that the line itself sets, nil if it does not.
func (c *Command) Own(name string) []string {
	for _, env := range c.Env {
		if strings.HasPrefix(env, name+"=") {
			return c.Value(name)
		}
	}
	if _, ok := c.shell.vars[name]; ok {
		return c.shell.scalar(name)
	}
	return nil
}

// own reports whether a variable has a value that is known to be set, by the line or the environment.
func (c *Command) own(name string) bool {
	values := c.Own(name)
	if values == nil && c.shell.ev.Env != nil {
		value, _, _ := c.shell.ev.Env(name)
		values = []string{value}
	}
	return strings.Join(values, "") != ""
}

// Text returns the text of a file that the line has written, or that is on the disk. It is Unknown
// if nothing is known of it.
func (c *Command) Text(name string) string { return c.shell.read(name) }

// Made reports whether the line has written a file.
func (c *Command) Made(name string) bool {
	_, ok := c.shell.ev.files[c.shell.absolute(name)]
	return ok
}

// Write remembers that the command writes a text to a file.
func (c *Command) Write(name, text string) { c.shell.remember(name, text) }

// Link remembers that the command makes a link or a copy name of the file to.
func (c *Command) Link(to, name string) {
	if c.shell.ev.links == nil {
		c.shell.ev.links = map[string]string{}
	}
	c.shell.ev.links[c.shell.absolute(name)] = to
}

// Linked returns the target of a link or a copy that the line has made. The path is absolute.
func (ev *Evaluation) Linked(path string) (to string, ok bool) {
	to, ok = ev.links[path]
	return to, ok
}

// Start gives a command to Visit that this one starts, and returns its output. dir is its folder; ""
// for the same one.
func (c *Command) Start(words, env []string, dir string, input *Input) string {
	inner := &Command{
		Words: words, Env: append(slices.Clip(c.Env), env...), Input: input, Loose: c.Loose && slices.Contains(words, Unknown),
		shell: c.shell, context: c.context.deeper(),
	}
	inner.context.in, inner.context.out = input, &output{}
	for _, one := range env {
		name, value, _ := strings.Cut(one, "=")
		c.shell.hooked(name, value)
	}
	if dir != "" {
		inner.shell = c.shell.copied()
		inner.shell.dir = inner.shell.absolute(dir)
	}
	if inner.context.depth > mostNested {
		c.shell.ev.large = true
		return Unknown
	}
	inner.shell.simpleProgram(inner)
	return inner.context.out.text.String()
}

// simpleProgram executes a command that another program starts: it is no function and no alias.
func (s *shell) simpleProgram(c *Command) {
	whole := *c
	if c.executed(); len(c.Words) < len(whole.Words) {
		s.ev.visit(&whole)
	}
	c.context.out.add(s.ev.visit(c))
	if name := c.Words[0]; name == "eval" || name == "source" || name == "." || name == "trap" {
		s.copied().builtin(c)
	}
}

// Run evaluates a line as another shell would, and returns its output. params are $0 and the parameters behind it; none
// for the $0 of this shell.
func (c *Command) Run(text, dir string, params []string, input *Input) string {
	s := c.shell.copied()
	clear(s.aliases)
	if s.dialect = dialectOf(c.Shell); c.Shell == "" {
		s.dialect = dialectOfScript(text)
	}
	for _, env := range c.Env {
		if name, value, ok := strings.Cut(env, "="); ok {
			s.vars[name] = variable{values: []string{value}}
			s.imported(name, value, evalContext{depth: c.context.depth + 1})
		}
	}
	if dir != "" {
		s.dir = s.absolute(dir)
	}
	if s.params, s.known = nil, true; len(params) > 0 {
		s.name, s.params = params[0], params[1:]
	}
	out := &output{}
	s.evaluate(text, evalContext{depth: c.context.depth + 1, in: input, out: out})
	return out.text.String()
}
