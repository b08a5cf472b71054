package stack

import (
	"path"
	"slices"
	"strings"
)

// mainStack returns the main stack of the workspace: that of its highest project, if that is more than tools, else the one
// that says most of the next ones below. Where the highest only keeps together what is below, and is itself of nothing but a
// language, it is that of the application among its members.
func (d *detection) mainStack() *Found {
	var top, best *builder
	for _, b := range d.builders {
		switch {
		case len(b.project.Stacks) == 0:
		case top == nil:
			if top = b; b.leads() {
				if app := b.application(); app != nil {
					return app
				}
				return &b.project.Stacks[0]
			}
		case !b.leads():
		case best == nil, b.depth() == best.depth() && b.project.Stacks[0].def.weight() > best.project.Stacks[0].def.weight():
			best = b
		}
	}
	switch {
	case best != nil:
		return &best.project.Stacks[0]
	case top != nil:
		return &top.project.Stacks[0]
	}
	return nil
}

func (b *builder) depth() int { return strings.Count(b.path, "/") }

// leads reports whether the main stack of a project is more than tools.
func (b *builder) leads() bool {
	return len(b.project.Stacks) > 0 && b.project.Stacks[0].def.weight() >= weights["worker"]
}

// applications are the names of folders that applications lie in, or are, and the endings of such names.
var applications = []string{"apps", "app", "services", "service", "web", "website", "site", "frontend", "client", "server", "backend", "api"}

// application returns the main stack of the application that says most among the members of a workspace, nil for a project
// that has none, or that is more than a language itself.
func (b *builder) application() (found *Found) {
	if len(b.project.Members) == 0 || b.project.Stacks[0].Kind != "language" {
		return nil
	}
	for _, o := range b.d.builders {
		if o.project.Workspace == nil || o.project.Workspace.Path != b.path || len(o.project.Stacks) == 0 {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(o.path, b.path), "/"), "/")
		_, ending, _ := strings.Cut(path.Base(o.path), "-")
		if f := &o.project.Stacks[0]; slices.Contains(applications, first) || slices.Contains(applications, ending) {
			if found == nil || f.def.weight() > found.def.weight() {
				found = f
			}
		}
	}
	if found == nil || found.def.weight() <= b.project.Stacks[0].def.weight() {
		return nil
	}
	return found
}
