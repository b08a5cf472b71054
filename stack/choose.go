package stack

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ErrNoCommand reports a name that no command of a workspace has, or that several have.
var ErrNoCommand = errors.New("no such command")

// Command returns a command and its project. name is the name of a command, or a kind (dev, start,
// build, test, lint). The command is that of the requested folder's project, otherwise that of the
// only other project that has one. The path of a project and a colon before the name choose that
// project. The error is ErrNoCommand.
func (r *Report) Command(name string) (*Project, Command, error) {
	if p := r.first(); p != nil {
		if c, ok := p.command(name); ok {
			return p, c, nil
		}
	}
	var at []*Project
	for i := range r.Projects {
		p := &r.Projects[i]
		if rest, ok := strings.CutPrefix(name, p.Path+":"); ok {
			if c, ok := p.command(rest); ok {
				return p, c, nil
			}
		}
		if _, ok := p.command(name); ok {
			at = append(at, p)
		}
	}
	switch {
	case len(at) == 1:
		c, _ := at[0].command(name)
		return at[0], c, nil
	case len(at) > 1:
		var names []string
		for _, p := range at[:min(len(at), mostNamed)] {
			names = append(names, p.Path+":"+name)
		}
		return nil, Command{}, fmt.Errorf("%q: %w in this folder, but in %d projects: choose one of %s", name, ErrNoCommand, len(at), listNames(names, len(at)))
	case len(r.Projects) == 0:
		return nil, Command{}, fmt.Errorf("%q: %w: %s has no project with a known manifest", name, ErrNoCommand, r.Folder)
	}
	names := r.CommandNames()
	if len(names) == 0 {
		return nil, Command{}, fmt.Errorf("%q: %w: no commands are known in %s", name, ErrNoCommand, r.Folder)
	}
	return nil, Command{}, fmt.Errorf("%q: %w: choose one of %s", name, ErrNoCommand, listNames(names[:min(len(names), mostNamed)], len(names)))
}

// mostNamed is the most names in an error.
const mostNamed = 12

// listNames lists names that are the first of a number of names. It quotes names that would not fit in
// one line.
func listNames(names []string, of int) string {
	var shown []string
	for _, name := range names {
		if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
			name = quoted
		}
		shown = append(shown, name)
	}
	text := strings.Join(shown, ", ")
	if of > len(names) {
		text += fmt.Sprintf(" and %d more: devtools stacks --why lists them", of-len(names))
	}
	return text
}

// CommandNames returns the names that [Report.Command] takes. Those of the requested folder come
// first.
func (r *Report) CommandNames() (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	here := r.first()
	if here != nil {
		here.names(add)
	}
	for i := range r.Projects {
		if p := &r.Projects[i]; p != here {
			p.names(func(name string) { add(p.Path + ":" + name) })
		}
	}
	return names
}

// first returns the project of the requested folder, nil if there is none.
func (r *Report) first() *Project {
	for i := range r.Projects {
		if r.Projects[i].Root == r.Folder {
			return &r.Projects[i]
		}
	}
	return nil
}

// command returns the command with a name that a person wrote down, or with a kind.
func (p *Project) command(name string) (Command, bool) {
	for _, c := range p.Commands {
		if c.Name == name && c.written {
			return c, true
		}
	}
	if name == commandKinds[0] && p.DevCommand != nil {
		return *p.DevCommand, true
	}
	if slices.Contains(commandKinds[1:5], name) {
		for _, c := range p.Commands {
			if c.Kind == name {
				return c, true
			}
		}
	}
	return Command{}, false
}

// names calls tell with the kinds of commands that the project has, and with the names that a person
// wrote down.
func (p *Project) names(tell func(name string)) {
	for _, kind := range commandKinds[:5] {
		if _, ok := p.command(kind); ok {
			tell(kind)
		}
	}
	for _, c := range p.Commands {
		if c.written {
			tell(c.Name)
		}
	}
}

// Label returns a short name for a command of the project. If the project is not that of the
// requested folder, the label begins with the project's folder.
func (r *Report) Label(p *Project, name string) string {
	label := strings.TrimPrefix(name, p.Path+":")
	if p.Root != r.Folder {
		label = path.Base(p.Path) + "-" + label
	}
	return strings.ReplaceAll(label, ":", "-")
}
