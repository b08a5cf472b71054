package stack

import (
	"maps"
	"path"
	"slices"
)

// composeFile reads the services of a file of compose, with those of the files that it includes and of the services that it
// extends. Variables have the defaults that the files give them.
func composeFile(b *builder, f file) error {
	m, err := yamlMap(f.data)
	b.composeServices(f, m, mostIncluded)
	if b.compose == "" && (len(tableIn(m, "services")) > 0 || m["include"] != nil) {
		b.compose = f.path
	}
	return err
}

// mostIncluded is how deep files of compose that include others are followed.
const mostIncluded = 4

func (b *builder) composeServices(f file, m map[string]any, depth int) {
	services := tableIn(m, "services")
	for _, name := range slices.Sorted(maps.Keys(services)) {
		service := tableIn(services, name)
		base := b.extended(f, services, service, depth)
		s := Service{
			Name: name, Image: interpolate(textIn(service, "image")), Build: in(service, "build") != nil,
			Evidence: f.at(Declared, "services."+name, "services:", name+":"), optional: in(service, "profiles") != nil,
		}
		if s.Image == "" && !s.Build {
			s.Image, s.Build = interpolate(textIn(base, "image")), in(base, "build") != nil
		}
		if !slices.ContainsFunc(b.services, func(known Service) bool { return known.Name == name }) {
			b.services = append(b.services, s)
		}
		ports, _ := in(service, "ports").([]any)
		inherited, _ := in(base, "ports").([]any)
		for _, p := range append(ports[:len(ports):len(ports)], inherited...) {
			for _, port := range publishedPorts(p) {
				b.port(Port{Port: port, Source: "declared", Service: name, Evidence: f.at(Declared, "services."+name+".ports", "services:", name+":", "ports:")})
			}
		}
	}
	for _, name := range includedFiles(m["include"]) {
		if file, included := b.composeBeside(f, name, depth); included != nil {
			b.composeServices(file, included, depth-1)
		}
	}
}

// includedFiles returns the names of the files that a file of compose includes: names, or tables with a name or several.
func includedFiles(value any) (names []string) {
	entries, _ := value.([]any)
	for _, e := range entries {
		switch e := e.(type) {
		case string:
			names = append(names, e)
		case map[string]any:
			if name := textIn(e, "path"); name != "" {
				names = append(names, name)
			}
			names = append(names, textsIn(e, "path")...)
		}
	}
	return names
}

// extended returns the service that another extends, of its own file or of one beside it, nil where there is none.
func (b *builder) extended(f file, services, service map[string]any, depth int) map[string]any {
	name, from := textIn(service, "extends"), ""
	if t := tableIn(service, "extends"); t != nil {
		name, from = textIn(t, "service"), textIn(t, "file")
	}
	if name == "" || depth == 0 {
		return nil
	}
	if from != "" {
		var m map[string]any
		if f, m = b.composeBeside(f, from, depth); m == nil {
			return nil
		}
		services = tableIn(m, "services")
	}
	base := maps.Clone(tableIn(services, name))
	if base == nil {
		return nil
	}
	for key, value := range b.extended(f, services, base, depth-1) {
		if _, ok := base[key]; !ok {
			base[key] = value
		}
	}
	return base
}

// composeBeside reads a file of compose by its name in another, nil if it cannot be read, which is told.
func (b *builder) composeBeside(f file, name string, depth int) (file, map[string]any) {
	name = interpolate(name)
	if depth == 0 || name == "" || path.IsAbs(name) {
		return f, nil
	}
	beside := file{path: path.Join(path.Dir(f.path), name), base: path.Base(name)}
	data, err := b.d.load(beside.path)
	if err != nil {
		b.d.problem(beside.path, readable(err))
		return f, nil
	}
	beside.data = data
	m, err := yamlMap(data)
	b.d.problem(beside.path, err)
	return beside, m
}
