package stack

import (
	"path"
	"regexp"
	"strings"
)

// An index finds the definitions for a file name or a dependency.
type index struct {
	all    []Definition
	byID   map[string]*Definition
	byName map[string][]*sign // by the last part of a name without a star
	byExt  map[string][]*sign // by the extension of a name that begins with a star
	starry []*sign
	byDep  map[string][]*Definition // by "registry name"
	anyDep map[string][]*Definition // the names with a star at the end, without it
}

// A sign is a file that tells a stack.
type sign struct {
	def     *Definition
	pattern string // the file's name with the folders before it
	levels  int    // the number of these folders
	weak    bool
	match   string // an expression for its content, "" for any content

	compiled *regexp.Regexp
}

func newIndex(all []Definition) *index {
	x := &index{
		all:    all,
		byID:   make(map[string]*Definition, len(all)),
		byName: make(map[string][]*sign, 4*len(all)),
		byExt:  map[string][]*sign{},
		byDep:  make(map[string][]*Definition, 2*len(all)),
		anyDep: map[string][]*Definition{},
	}
	for i := range all {
		d := &all[i]
		x.byID[d.ID] = d
		for _, name := range d.Files {
			x.add(&sign{def: d, pattern: name})
		}
		for _, name := range d.Weak {
			x.add(&sign{def: d, pattern: name, weak: true})
		}
		for _, c := range d.Content {
			x.add(&sign{def: d, pattern: c.File, match: c.Match})
		}
		for registry, names := range d.Deps {
			for _, name := range names {
				if prefix, ok := strings.CutSuffix(name, "*"); ok {
					x.anyDep[registry+" "+prefix] = append(x.anyDep[registry+" "+prefix], d)
				} else {
					x.byDep[registry+" "+name] = append(x.byDep[registry+" "+name], d)
				}
			}
		}
	}
	return x
}

func (x *index) add(s *sign) {
	s.levels = strings.Count(s.pattern, "/")
	base := path.Base(s.pattern)
	switch ext := path.Ext(base); {
	case !strings.ContainsAny(base, "*?["):
		x.byName[base] = append(x.byName[base], s)
	case !strings.ContainsAny(ext, "*?["):
		x.byExt[ext] = append(x.byExt[ext], s)
	default:
		x.starry = append(x.starry, s)
	}
}

// signs calls found with each sign that fits a file in a folder, and with the folder of the project
// that it belongs to.
func (x *index) signs(folder, name string, found func(s *sign, project string)) {
	try := func(s *sign) {
		project := folder
		for range s.levels {
			if project == "." {
				return
			}
			project = path.Dir(project)
		}
		full := name
		if s.levels > 0 {
			full = path.Join(folder, name)
			if project != "." {
				full = full[len(project)+1:]
			}
		}
		if full == s.pattern {
			found(s, project)
		} else if ok, err := path.Match(s.pattern, full); ok && err == nil {
			found(s, project)
		}
	}
	for _, s := range x.byName[name] {
		try(s)
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		for _, s := range x.byExt[name[dot:]] {
			try(s)
		}
	}
	for _, s := range x.starry {
		try(s)
	}
}

// manifest reports whether a file of that name makes its folder a project.
func (x *index) manifest(name string) bool {
	is := false
	x.signs(".", name, func(s *sign, _ string) { is = is || s.def.Root && !s.weak && s.match == "" })
	return is
}

// dependency returns the definitions for a dependency of a registry.
func (x *index) dependency(registry, name string) []*Definition {
	found := x.byDep[registry+" "+name]
	if len(x.anyDep) == 0 {
		return found
	}
	for prefix, defs := range x.anyDep {
		if strings.HasPrefix(registry+" "+name, prefix) {
			found = append(found[:len(found):len(found)], defs...)
		}
	}
	return found
}

// matches reports whether the text has the content that the sign asks for.
func (s *sign) matches(text []byte) bool {
	if s.match == "" {
		return true
	}
	if s.compiled == nil {
		compiled, err := regexp.Compile(s.match)
		if err != nil { // Check has compiled all expressions
			return false
		}
		s.compiled = compiled
	}
	return s.compiled.Match(text)
}
