package stack

import (
	"maps"
	"path"
	"slices"
)

// composeFile reads the services of a compose file, of the files that it includes, and of the
// services that it extends. Variables have their defaults from the file.
func composeFile(b *builder, f file) error {
	m, err := yamlMap(f.data)
	b.composeServices(f, m, mostIncluded)
	if b.compose == "" && (len(tableIn(m, "services")) > 0 || m["include"] != nil) {
		b.compose = f.path
	}
	return err
}

// mostIncluded is how deep compose files may include each other.
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
				b.notePort(Port{Port: port, Source: "declared", Service: name, Evidence: f.at(Declared, "services."+name+".ports", "services:", name+":", "ports:")})
			}
		}
	}
	for _, name := range includedFiles(m["include"]) {
		if file, included := b.composeBeside(f, name, depth); included != nil {
			b.composeServices(file, included, depth-1)
		}
	}
}

// includedFiles returns the names of the files that a compose file includes. An entry is a name, or
// a table with one or several names.
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

// extended returns the service that another one extends, in the same file or in a file beside it. It
// is nil if there is none.
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

// composeBeside reads a compose file that another one names. It is nil if the file cannot be read,
// which is then a problem.
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
