package stack

import (
	"cmp"
	"errors"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"devtools/stack/files"
)

// A builder puts a project together.
type builder struct {
	d       *detection
	path    string
	project Project

	manifests []manifestFile
	found     map[string]*Found
	deps      map[string]dependency // by "registry name"
	scripts   []script
	managing
	serving
	running
	mainConfidence Confidence // in the main stack
	devRuns        []string   // what the script that people develop with runs
}

// The managing facts tell which package manager a project uses.
type managing struct {
	managers map[string]*Manager // by ecosystem
	declared *Manager            // by a package.json: files of other managers do not count
	allowed  *Manager
}

// The serving facts tell where a project listens.
type serving struct {
	ports    []Port
	env      map[string]Port
	services []Service
	compose  string // the file of Docker Compose
}

// The running facts tell which programs a project builds.
type running struct {
	goModule string
	cargo    struct {
		manifest, defaultRun string
		workspace, isPackage bool
		bins                 []string
	}
	dotnetRuns bool
	gradleRuns bool // it has the task run
	mixRuns    bool
	packaged   bool // people install it, or call it by its name
}

// A manifestFile file is a manifest of the project, with its reader.
type manifestFile struct {
	file string
	read manifestReader
}

// A dependency is a package that the project depends on.
type dependency struct {
	version string
	dev     bool
	source  Evidence
}

// A script is a command that a person wrote down, with a name.
type script struct {
	from   string // npm, make, …
	name   string
	kind   string // if the file says that too
	line   string // what it runs
	argv   []string
	source Evidence
}

func newBuilder(d *detection, folder string) *builder {
	return &builder{
		d: d, path: folder, found: map[string]*Found{}, deps: map[string]dependency{},
		managing: managing{managers: map[string]*Manager{}}, serving: serving{env: map[string]Port{}},
		project: Project{
			Root: filepath.Join(d.root, filepath.FromSlash(folder)), Path: folder, Stacks: []Found{}, PackageManagers: []Manager{},
			Toolchain: []Tool{}, Commands: []Command{}, Ports: []Port{}, ExpectedProcesses: []string{},
		},
	}
}

// has reports whether the project has a file of that name.
func (b *builder) has(name string) bool { return b.d.has(path.Join(b.path, name)) }

// hasStack reports whether a project has a stack. A nil project has none.
func (b *builder) hasStack(id string) bool { return b != nil && b.found[id] != nil }

func (b *builder) addHit(h hit) {
	rank := Config
	if h.sign.weak {
		rank = Shared
	}
	b.addEvidence(h.sign.def, Evidence{File: h.file, Rank: rank})
}

// mostEvidence is the most pieces of evidence that are kept for a stack.
const mostEvidence = 5

func (b *builder) addEvidence(def *Definition, e Evidence) *Found {
	f := b.found[def.ID]
	if f == nil {
		f = &Found{ID: def.ID, Name: def.Name, Kind: def.Kind, def: def}
		b.found[def.ID] = f
	}
	if !slices.Contains(f.Evidence, e) {
		f.Evidence = append(f.Evidence, e)
	}
	return f
}

// readManifests reads each manifest once, and finds the stacks of its dependencies.
func (b *builder) readManifests() {
	sortBy(b.manifests, func(x, y manifestFile) int {
		return cmp.Or(compareFolders(x.file, y.file), cmp.Compare(x.file, y.file))
	})
	for _, m := range b.manifests {
		b.readManifest(m)
	}
	for key, dep := range b.deps {
		registry, name, _ := strings.Cut(key, " ")
		if registry == "pypi" && name == b.project.Name {
			continue // a package may name its own extras
		}
		for _, def := range b.d.index.dependency(registry, name) {
			if !slices.ContainsFunc(def.Without, func(other string) bool { return b.depends(registry, other) }) {
				b.addEvidence(def, dep.source)
			}
		}
	}
	for id, f := range b.found { // a stack is also ruled out where its own file was found
		if slices.ContainsFunc(f.def.Without, func(other string) bool { return b.depends("npm", other) }) {
			delete(b.found, id)
		}
	}
}

func (b *builder) depends(registry, name string) bool {
	_, ok := b.deps[registry+" "+name]
	return ok
}

func (b *builder) readManifest(m manifestFile) {
	data, err := b.d.load(m.file)
	if err != nil && !errors.Is(err, files.ErrTooLong) {
		b.d.problem(m.file, readable(err))
		return
	}
	long := err
	err = m.read(b, file{path: m.file, base: path.Base(m.file), data: data})
	if long != nil {
		err = long // an error in a file that was cut comes from the cut
	}
	b.d.problem(m.file, err)
}

func (b *builder) setName(name string) {
	if b.project.Name == "" {
		b.project.Name = name
	}
}

func (b *builder) addDependency(registry, name, version string, source Evidence, dev bool) {
	key := registry + " " + name
	if known, ok := b.deps[key]; ok && (known.source.Rank > source.Rank || known.source.Rank == source.Rank && before(known.source, source)) {
		return
	}
	b.deps[key] = dependency{version, dev, source}
}

// before orders evidence by its rank and its place.
func before(a, b Evidence) bool { return compareEvidence(a, b) <= 0 }

func compareEvidence(a, b Evidence) int {
	return cmp.Or(cmp.Compare(b.Rank, a.Rank), compareFolders(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key))
}

func (b *builder) addScript(s script) {
	s.line = cutLine(s.line)
	b.scripts = append(b.scripts, s)
}

func (b *builder) wantTool(tool, wanted string, source Evidence) {
	if wanted != "" {
		b.project.Toolchain = append(b.project.Toolchain, Tool{Tool: tool, Wanted: wanted, Evidence: source})
	}
}

func (b *builder) notePort(p Port) { b.ports = append(b.ports, p) }

func (b *builder) addMember(kind, pattern string, source Evidence) {
	b.project.Members = append(b.project.Members, Pattern{kind, pattern, source})
}

// empty reports whether a project is not one: its package.json only says of which kind the modules
// beside it are.
func (b *builder) empty() bool {
	if b.path == b.d.folder || len(b.found) != 1 || b.found["node"] == nil {
		return false
	}
	return len(b.deps)+len(b.scripts)+len(b.project.Members) == 0 && b.project.Name == "" &&
		!slices.ContainsFunc(b.d.problems, func(p files.Problem) bool { return path.Dir(p.File) == b.path })
}

// finish makes the project of the facts.
func (b *builder) finish() {
	p := &b.project
	b.findManagers()
	b.devRuns = b.devScriptRuns()
	hidden := map[string]bool{}
	for _, f := range b.found {
		for _, id := range f.def.Supersedes {
			hidden[id] = hidden[id] || !b.docsBeside(f, b.found[id])
		}
	}
	var all []*Found
	for _, id := range slices.Sorted(maps.Keys(b.found)) {
		f := b.found[id]
		sortBy(f.Evidence, compareEvidence)
		f.Evidence = f.Evidence[:min(len(f.Evidence), mostEvidence)]
		f.Confidence = f.Evidence[0].Rank.confidence()
		if f.def.Alone && len(b.found) > 1 {
			continue
		}
		if hidden[id] {
			p.Superseded = append(p.Superseded, *f)
			continue
		}
		all = append(all, f)
	}
	scores := make(map[*Found]int, len(all))
	for _, f := range all {
		scores[f] = b.score(f)
	}
	sortBy(all, func(x, y *Found) int { return cmp.Compare(scores[y], scores[x]) })
	if len(all) > 0 {
		p.MainStack, p.Ready = all[0].ID, all[0].def.Ready
		b.mainConfidence = mainSure(all, scores)
		p.MainConfidence = b.mainConfidence.String()
	}
	for _, f := range all {
		b.version(f)
		p.Stacks = append(p.Stacks, *f)
	}
	b.chooseManager()
	b.findTools()
	b.findCommands()
	b.findPorts()
	p.Services = b.services
	b.expect()
	if p.Name == "" && b.path != "." {
		p.Name = path.Base(b.path)
	}
}

// docsBeside reports whether a documentation site lies beside the stack that it usually supersedes, and
// people develop that stack.
func (b *builder) docsBeside(site, other *Found) bool {
	return other != nil && site.Kind == "ssg" && b.d.matchesOne(other.def.DevServerPatterns, b.devRuns) &&
		!b.d.matchesOne(site.def.DevServerPatterns, b.devRuns)
}

// expect collects the names of the processes to expect.
func (b *builder) expect() {
	names := map[string]bool{}
	for _, f := range b.project.Stacks {
		if f.Evidence[0].Rank < Config {
			continue
		}
		for _, name := range f.def.processes(b.d.System) {
			names[name] = true
		}
	}
	suffix := ""
	if b.d.System == "windows" {
		suffix = ".exe"
	}
	if b.goModule != "" {
		b.project.builds = append(b.project.builds, path.Base(b.goModule)+suffix)
	}
	for _, bin := range b.cargo.bins {
		b.project.builds = append(b.project.builds, bin+suffix)
	}
	for _, name := range b.project.builds {
		names[name] = true
	}
	delete(names, "")
	b.project.ExpectedProcesses = append(b.project.ExpectedProcesses, slices.Sorted(maps.Keys(names))...)
}
