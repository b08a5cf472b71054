package stack

import (
	"slices"
	"strings"

	"devtools/stack/line"
)

// Published returns the ports of the containers that a command of the project starts in the
// foreground. ok reports whether nothing else of the command keeps running: docker compose up.
// Another process listens on these ports.
func (p *Project) Published(c Command) (ports []int, ok bool) {
	lines := c.runs
	if len(lines) == 0 {
		var words []string
		for _, arg := range c.Argv {
			words = append(words, quote(arg))
		}
		lines = []string{strings.Join(words, " ")}
	}
	var services []string
	all := false
	for _, text := range lines {
		parts, err := line.Parse(text)
		if err != nil {
			return nil, false
		}
		for _, part := range parts {
			names, up := composeServices(part.Args)
			switch {
			case up:
				ok, all = true, all || len(names) == 0
				services = append(services, names...)
			case Classify(text, "").Class.Long():
				return nil, false
			}
		}
	}
	for _, port := range p.Ports {
		if ok && port.Service != "" && (slices.Contains(services, port.Service) || all && !p.optional(port.Service)) {
			ports = append(ports, port.Port)
		}
	}
	return ports, ok
}

// optional reports whether a service starts only on demand.
func (p *Project) optional(service string) bool {
	return slices.ContainsFunc(p.Services, func(s Service) bool { return s.Name == service && s.optional })
}

// composeServices returns the services that docker compose up starts, none for all. up is false for other
// commands, and for one that does not stay.
func composeServices(args []line.Word) (services []string, up bool) {
	if len(args) == 0 {
		return nil, false
	}
	name := programName(args[0].Text)
	switch args = args[1:]; name {
	case "sudo":
		return composeServices(args)
	case "docker", "podman", "nerdctl":
		if len(args) == 0 || args[0].Text != "compose" {
			return nil, false
		}
		args = args[1:]
	case "docker-compose", "podman-compose", "sail":
	default:
		return nil, false
	}
	in := lookup("docker-compose").invoke(args, false)
	if len(in.operands) == 0 || in.args[in.operands[0]].Text != "up" || in.has("-d", "--detach", "--wait", "--no-start") {
		return nil, false
	}
	for _, i := range in.operands[1:] {
		services = append(services, in.args[i].Text)
	}
	return services, true
}
