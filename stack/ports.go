package stack

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	portFlag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|\s)(?:--port|--server\.port|--serve-port|-p|-P|-b|--bind|-S|--listen|-l|runserver)[ =]+(?:[\w.\[\]:-]*:)?(\d{2,5})(?:\s|$)`)
	})
	portPrefix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|\s)\w*PORT=(\d{2,5})(?:\s|$)`) })
)

// findPorts lists where the project is expected to listen: as the flags of its dev command say, else its environment, its
// settings, the code that the command runs, else by default. What containers publish comes after that.
func (b *builder) findPorts() {
	p := &b.project
	var main *Found
	var runs []string
	if p.DevCommand != nil {
		runs = append(slices.Clone(p.DevCommand.runs), strings.Join(p.DevCommand.Argv, " "))
	}
	for i := range p.Stacks {
		f := &p.Stacks[i]
		if len(f.def.Ports) == 0 || f.Evidence[0].Rank < Config && i > 0 {
			continue
		}
		started := b.d.matchesOne(f.def.DevServerPatterns, runs)
		switch {
		case main == nil:
			if started || i == 0 && !b.installed(f) || f.Kind == "server-library" && b.score(f) >= 10*f.def.weight() {
				main = f
			}
		case started && !b.d.matchesOne(main.def.DevServerPatterns, runs) && (f.Kind != "language" || main.Kind == "language"):
			main = f
		}
	}
	add := func(port Port) {
		if !slices.ContainsFunc(p.Ports, func(known Port) bool { return known.Port == port.Port && known.Service == port.Service }) {
			p.Ports = append(p.Ports, port)
		}
	}
	for _, re := range []*regexp.Regexp{portFlag(), portPrefix()} {
		for _, command := range runs {
			if m := re.FindStringSubmatch(command); m != nil {
				source := "flag"
				if re == portPrefix() {
					source = "env"
				}
				for _, port := range onePort(m[1]) {
					add(Port{Port: port, Source: source, Evidence: p.DevCommand.Source})
				}
			}
		}
	}
	if dev := p.DevCommand; dev != nil && dev.port != 0 {
		add(Port{Port: dev.port, Source: "flag", Evidence: dev.Source})
	}
	if main != nil && p.DevCommand != nil {
		for _, name := range main.def.PortEnv {
			if port, ok := b.env[name]; ok {
				add(port)
			}
		}
	}
	slices.SortStableFunc(b.ports, func(x, y Port) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), compareEvidence(x.Evidence, y.Evidence), cmp.Compare(x.Port, y.Port))
	})
	for _, port := range append(b.ports[:len(b.ports):len(b.ports)], b.portsOfCalled()...) {
		if port.Source == "config" {
			add(port)
		}
	}
	if len(p.Ports) == 0 && b.found["nx"] != nil && b.d.matchesOne(b.found["nx"].def.DevServerPatterns, runs) {
		for _, port := range b.portOfApplication() {
			add(port)
		}
	}
	if len(p.Ports) == 0 {
		b.portInCode(runs, add)
	}
	if main != nil && p.DevCommand != nil && len(p.Ports) == 0 && (main.Kind != "language" || b.mayServe(runs)) {
		for _, port := range main.def.Ports[:1] {
			if main.ID == "remix" && !b.depends("npm", "vite") {
				port = 3000 // that of its own server
			}
			add(Port{Port: port, Source: "default", Moves: main.def.PortMoves, Evidence: main.Evidence[0]})
		}
	}
	for _, built := range []bool{true, false} { // what is made here comes before what it needs
		for _, port := range b.ports {
			if port.Source != "config" && built == slices.ContainsFunc(b.services, func(s Service) bool { return s.Build && s.Name == port.Service }) {
				add(port)
			}
		}
	}
}

// portOfApplication returns the port that the settings of the projects of Nx below have, where that is but one, and where
// none has any that of the executor that serves, likewise.
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
				if number, ok := executors[s.line]; ok {
					usual[number] = Port{Port: number, Source: "default", Moves: true, Evidence: s.source}
				}
			}
		}
	}
	if len(set) == 0 {
		set = usual
	}
	if len(set) != 1 {
		return nil // which of them is started is not known
	}
	return slices.Collect(maps.Values(set))
}

// executors are those of Nx that serve, and where they listen.
var executors = map[string]int{
	"@angular-devkit/build-angular:dev-server": 4200, "@angular/build:dev-server": 4200, "@nx/angular:dev-server": 4200,
	"@nx/webpack:dev-server": 4200, "@nrwl/web:dev-server": 4200, "@nx/web:dev-server": 4200, "@nx/vite:dev-server": 4200,
	"@nx/next:server": 3000, "@nrwl/next:server": 3000, "@nx/remix:serve": 4200, "@nrwl/webpack:dev-server": 4200, "@nx/rspack:dev-server": 4200,
}

// portsOfCalled returns the ports that the settings of another project have, whose path or name stands in the dev command.
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
