package stack

import (
	"path"
	"slices"
	"strings"

	"devtools/stack/files"
)

// A hit is a file that tells a stack.
type hit struct {
	sign *sign
	file string
}

// projects are the projects of a workspace by their folders.
type projects map[string]*builder

// owner returns the project in a folder or in the nearest folder above, nil if there is none.
func (p projects) owner(folder string) *builder {
	for at := folder; ; at = path.Dir(at) {
		if b := p[at]; b != nil || at == "." {
			return b
		}
	}
}

// find makes a project of each folder with a manifest. Each project gets the files below that tell a
// stack.
func (d *detection) find(tree *files.Tree) {
	manifests, others := d.hits(tree)
	found := projects{}
	for _, folder := range byDepth(manifests) {
		d.addDeclared(found, folder, manifests[folder])
	}
	for _, folder := range byDepth(others) {
		d.addHinted(found, folder, others[folder])
	}
	for _, folder := range byDepth(found) {
		d.builders = append(d.builders, found[folder])
	}
	d.assignManifests(tree, found)
}

// hits returns the files that tell a stack, by the folder that they belong to. Manifests make their
// folder a project.
func (d *detection) hits(tree *files.Tree) (manifests, others map[string][]hit) {
	manifests, others = map[string][]hit{}, map[string][]hit{}
	for i := range tree.Folders {
		f := &tree.Folders[i]
		if isTestData(f.Path, d.folder) {
			continue
		}
		for _, name := range f.Files {
			d.index.signs(f.Path, name, func(s *sign, project string) {
				h := hit{s, path.Join(f.Path, name)}
				switch {
				case s.match != "" && !d.contains(h):
				case s.def.Root && !s.weak:
					manifests[project] = append(manifests[project], h)
				default:
					others[project] = append(others[project], h)
				}
			})
		}
	}
	return manifests, others
}

// addDeclared makes a project of a folder with manifests, unless all of them belong to a project above.
func (d *detection) addDeclared(found projects, folder string, manifests []hit) {
	above := found.owner(path.Dir(folder))
	own := slices.DeleteFunc(manifests, func(h hit) bool {
		return h.sign.def.Outermost && folder != d.folder && above.hasStack(h.sign.def.ID)
	})
	if len(own) == 0 {
		return
	}
	found[folder] = newBuilder(d, folder)
	for _, h := range own {
		found[folder].addHit(h)
	}
}

// addHinted gives the files of a folder that are not manifests to its project. If no project owns the
// folder, it becomes one. A file that other stacks use too makes a project only of the requested
// folder, and says nothing about a project above.
func (d *detection) addHinted(found projects, folder string, hits []hit) {
	b := found.owner(folder)
	for _, h := range hits {
		if b == nil && (!h.sign.weak || folder == d.folder) {
			b = newBuilder(d, folder)
			found[folder] = b
		}
		if b != nil && (!h.sign.weak || folder == b.path) {
			b.addHit(h)
		}
	}
}

// assignManifests gives each project the manifests that it has to read.
func (d *detection) assignManifests(tree *files.Tree, found projects) {
	for i := range tree.Folders {
		f := &tree.Folders[i]
		if isTestData(f.Path, d.folder) {
			continue
		}
		for _, name := range f.Files {
			d.assignManifest(f.Path, name, found)
		}
		for _, name := range f.Ignored { // git ignores the settings of this machine, which may name ports
			if strings.HasPrefix(name, ".env") || name == ".flaskenv" {
				d.assignManifest(f.Path, name, found)
			}
		}
	}
}

// assignManifest gives a file to the project that it belongs to, if it is a manifest.
func (d *detection) assignManifest(folder, name string, found projects) {
	try := func(p place) {
		project := folder
		for range p.levels {
			if project == "." {
				return
			}
			project = path.Dir(project)
		}
		b := found[project]
		if b == nil {
			return
		}
		full := path.Join(folder, name)
		if project != "." {
			full = full[len(project)+1:]
		}
		if ok, err := path.Match(p.pattern, full); ok && err == nil {
			b.manifests = append(b.manifests, manifestFile{path.Join(folder, name), p.read})
		}
	}
	for _, p := range d.places[name] {
		try(p)
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		for _, p := range d.exts[name[dot:]] {
			try(p)
		}
	}
}

// isTestData reports whether a folder holds examples for tests, which are not projects of the
// workspace.
func isTestData(folder, asked string) bool {
	if asked != "." {
		folder = strings.TrimPrefix(folder, asked)
	}
	for part := range strings.SplitSeq(folder, "/") {
		if part == "testdata" || part == "__fixtures__" || part == "__mocks__" {
			return true
		}
	}
	return false
}
