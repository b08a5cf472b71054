package stack

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	portFlag   = expression{text: `(?:^|\s)(?:--port|--server\.port|--serve-port|-p|-P|-b|--bind|-S|--listen|-l|runserver)[ =]+(?:[\w.\[\]:-]*:)?(\d{2,5})(?:\s|$)`}
	portPrefix = expression{text: `(?:^|\s)\w*PORT=(\d{2,5})(?:\s|$)`}
)

// findPorts lists the ports on which the project is expected to listen. They come from the flags of
// its dev command, otherwise from its environment, its settings, the code that the command runs, or
// the default. The ports of containers come last.
func (b *builder) findPorts() {
	dev := b.project.DevCommand
	var runs []string // the command lines of the dev command
	if dev != nil {
		runs = append(slices.Clone(dev.runs), strings.Join(dev.Argv, " "))
	}
	server := b.mainServer(runs)
	b.portsOfLines(runs)
	if dev != nil && dev.port != 0 {
		b.addPort(Port{Port: dev.port, Source: "flag", Evidence: dev.Source})
	}
	if dev != nil && server != nil {
		b.portsOfEnvironment(server)
	}
	sortBy(b.ports, func(x, y Port) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), compareEvidence(x.Evidence, y.Evidence), cmp.Compare(x.Port, y.Port))
	})
	for _, port := range slices.Concat(b.ports, b.portsOfCalled()) {
		if port.Source == "config" {
			b.addPort(port)
		}
	}
	nothing := func() bool { return len(b.project.Ports) == 0 }
	if nx := b.found["nx"]; nothing() && nx != nil && b.d.matchesOne(nx.def.DevServerPatterns, runs) {
		for _, port := range b.portOfApplication() {
			b.addPort(port)
		}
	}
	if nothing() {
		b.portInCode(runs, b.addPort)
	}
	if dev != nil && server != nil && nothing() && (server.Kind != "language" || b.mayServe(runs)) {
		b.defaultPort(server)
	}
	b.publishedPorts()
}

// addPort adds a port to those of the project, unless the project has it already.
func (b *builder) addPort(port Port) {
	p := &b.project
	if !slices.ContainsFunc(p.Ports, func(known Port) bool { return known.Port == port.Port && known.Service == port.Service }) {
		p.Ports = append(p.Ports, port)
	}
}

// mainServer returns the stack whose server the dev command starts: the first that a command line
// names, otherwise the main stack, or nil.
func (b *builder) mainServer(runs []string) (server *Found) {
	p := &b.project
	for i := range p.Stacks {
		f := &p.Stacks[i]
		if len(f.def.Ports) == 0 || f.Evidence[0].Rank < Config && i > 0 {
			continue
		}
		started := b.d.matchesOne(f.def.DevServerPatterns, runs)
		switch {
		case server == nil:
			if started || i == 0 && !b.onlyInPackageJSON(f) || f.Kind == "server-library" && b.score(f) >= 10*f.def.weight() {
				server = f
			}
		case started && !b.d.matchesOne(server.def.DevServerPatterns, runs) && (f.Kind != "language" || server.Kind == "language"):
			server = f
		}
	}
	return server
}

// portsOfLines adds the ports in the flags of command lines, and then the ports that they set in the
// environment.
func (b *builder) portsOfLines(runs []string) {
	for _, sign := range []struct {
		re     *regexp.Regexp
		source string
	}{{portFlag.get(), "flag"}, {portPrefix.get(), "env"}} {
		for _, command := range runs {
			m := sign.re.FindStringSubmatch(command)
			if m == nil {
				continue
			}
			for _, port := range onePort(m[1]) {
				b.addPort(Port{Port: port, Source: sign.source, Evidence: b.project.DevCommand.Source})
			}
		}
	}
}

// portsOfEnvironment adds the ports for the server in the project's files of environment variables.
func (b *builder) portsOfEnvironment(server *Found) {
	for _, name := range server.def.PortEnv {
		if port, ok := b.env[name]; ok {
			b.addPort(port)
		}
	}
}

// defaultPort adds the default port of the server.
func (b *builder) defaultPort(server *Found) {
	port := server.def.Ports[0]
	if server.ID == "remix" && !b.depends("npm", "vite") {
		port = 3000 // its own server's port
	}
	b.addPort(Port{Port: port, Source: "default", Moves: server.def.PortMoves, Evidence: server.Evidence[0]})
}

// publishedPorts adds the ports of containers. Those that are built here come before those of other
// images.
func (b *builder) publishedPorts() {
	for _, built := range []bool{true, false} {
		for _, port := range b.ports {
			if port.Source != "config" && built == slices.ContainsFunc(b.services, func(s Service) bool { return s.Build && s.Name == port.Service }) {
				b.addPort(port)
			}
		}
	}
}

// portOfApplication returns the port in the settings of the Nx projects below, if they have only
// one. If none has a port, it returns that of the executor that serves, if there is only one.
func (b *builder) portOfApplication() []Port {
	set, usual := map[int]Port{}, map[int]Port{}
	for _, o := range b.d.builders {
		if o == b || !o.has("project.json") {
			continue
		}
		for _, port := range o.ports {
			if port.Source == "config" {
				set[port.Port] = port
			}
		}
		for _, s := range o.scripts {
			if s.from == "nx" && (s.name == "serve" || s.name == "dev") {
				if number := portOfExecutor(s.line); number != 0 {
					usual[number] = Port{Port: number, Source: "default", Moves: true, Evidence: s.source}
				}
			}
		}
	}
	if len(set) == 0 {
		set = usual
	}
	if len(set) != 1 {
		return nil // nothing tells which of them is started
	}
	return slices.Collect(maps.Values(set))
}

// portOfExecutor returns the default port of an executor of Nx that serves, 0 for another executor.
func portOfExecutor(name string) int {
	switch name {
	case "@angular-devkit/build-angular:dev-server", "@angular/build:dev-server", "@nx/angular:dev-server",
		"@nx/webpack:dev-server", "@nrwl/webpack:dev-server", "@nx/rspack:dev-server",
		"@nx/web:dev-server", "@nrwl/web:dev-server", "@nx/vite:dev-server", "@nx/remix:serve":
		return 4200
	case "@nx/next:server", "@nrwl/next:server":
		return 3000
	}
	return 0
}

// portsOfCalled returns the ports in the settings of other projects that the dev command names by
// their path or name.
func (b *builder) portsOfCalled() (ports []Port) {
	if b.project.DevCommand == nil || len(b.project.Members) == 0 {
		return nil
	}
	words := strings.FieldsFunc(b.project.DevCommand.Line, func(r rune) bool { return strings.ContainsRune(" \t\"'=;&|", r) })
	for _, o := range b.d.builders {
		if o == b || o.path == b.path {
			continue
		}
		path := strings.TrimPrefix(strings.TrimPrefix(o.path, b.path), "/")
		if slices.ContainsFunc(words, func(w string) bool { return strings.Trim(w, "./") == path || w == o.project.Name }) {
			ports = append(ports, o.ports...)
		}
	}
	return ports
}
