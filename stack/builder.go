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

	manifests []given
	found     map[string]*Found
	deps      map[string]dependency // by "registry name"
	scripts   []script
	managers  map[string]*Manager // by ecosystem
	declared  *Manager            // in a package.json: no file of another counts
	allowed   *Manager
	ports     []Port
	env       map[string]Port
	services  []Service
	compose   string
	goModule  string
	cargo     struct {
		manifest, defaultRun string
		workspace, isPackage bool
		bins                 []string
	}
	dotnetRuns bool
	gradleRuns bool // it has the task run
	mixRuns    bool
	sure       Confidence // in the main stack
	packaged   bool       // it is made to be installed, or run, by its name
	develops   []string   // what the script runs with which people develop
}

// A given file is one of the project that its reader takes facts from.
type given struct {
	file string
	read manifestReader
}

// A dependency is one of a project, with where it stands.
type dependency struct {
	version string
	dev     bool
	source  Evidence
}

// A script is a command that somebody wrote down, with a name.
type script struct {
	from   string // npm, make, …
	name   string
	kind   string // where that is written down too
	line   string // what it runs
	argv   []string
	source Evidence
}

func newBuilder(d *detection, folder string) *builder {
	return &builder{
		d: d, path: folder, found: map[string]*Found{}, deps: map[string]dependency{}, managers: map[string]*Manager{}, env: map[string]Port{},
		project: Project{
			Root: filepath.Join(d.root, filepath.FromSlash(folder)), Path: folder, Stacks: []Found{}, PackageManagers: []Manager{},
			Toolchain: []Tool{}, Commands: []Command{}, Ports: []Port{}, ExpectedProcesses: []string{},
		},
	}
}

// has reports whether the project has a file of that name.
func (b *builder) has(name string) bool { return b.d.has(path.Join(b.path, name)) }

// knows reports whether a project has a stack. A project that is not there knows none.
func (b *builder) knows(id string) bool { return b != nil && b.found[id] != nil }

func (b *builder) hit(h hit) {
	rank := Config
	if h.sign.weak {
		rank = Shared
	}
	b.evidence(h.sign.def, Evidence{File: h.file, Rank: rank})
}

// mostEvidence is how much of it is kept for a stack.
const mostEvidence = 5

func (b *builder) evidence(def *Definition, e Evidence) *Found {
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

// readManifests reads all that tells facts, each once.
func (b *builder) readManifests() {
	slices.SortFunc(b.manifests, func(x, y given) int { return cmp.Or(compareFolders(x.file, y.file), cmp.Compare(x.file, y.file)) })
	for _, m := range b.manifests {
		b.readManifest(m)
	}
	for key, dep := range b.deps {
		registry, name, _ := strings.Cut(key, " ")
		if registry == "pypi" && name == b.project.Name {
			continue // its own extras
		}
		for _, def := range b.d.index.dependency(registry, name) {
			if !slices.ContainsFunc(def.Without, func(other string) bool { return b.depends(registry, other) }) {
				b.evidence(def, dep.source)
			}
		}
	}
	for id, f := range b.found { // a file of its own is no evidence either of what it is not
		if slices.ContainsFunc(f.def.Without, func(other string) bool { return b.depends("npm", other) }) {
			delete(b.found, id)
		}
	}
}

func (b *builder) depends(registry, name string) bool {
	_, ok := b.deps[registry+" "+name]
	return ok
}

func (b *builder) readManifest(m given) {
	data, err := b.d.load(m.file)
	if err != nil && !errors.Is(err, files.ErrTooLong) {
		b.d.problem(m.file, readable(err))
		return
	}
	long := err
	err = m.read(b, file{path: m.file, base: path.Base(m.file), data: data})
	if long != nil {
		err = long // what is wrong with a part of a file is that it is one
	}
	b.d.problem(m.file, err)
}

func (b *builder) name(name string) {
	if b.project.Name == "" {
		b.project.Name = name
	}
}

func (b *builder) dep(registry, name, version string, source Evidence, dev bool) {
	key := registry + " " + name
	if known, ok := b.deps[key]; ok && (known.source.Rank > source.Rank || known.source.Rank == source.Rank && before(known.source, source)) {
		return
	}
	b.deps[key] = dependency{version, dev, source}
}

// before orders evidence by where it stands.
func before(a, b Evidence) bool { return compareEvidence(a, b) <= 0 }

func compareEvidence(a, b Evidence) int {
	return cmp.Or(cmp.Compare(b.Rank, a.Rank), compareFolders(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key))
}

func (b *builder) script(s script) {
	s.line = cutLine(s.line)
	b.scripts = append(b.scripts, s)
}

func (b *builder) want(tool, wanted string, source Evidence) {
	if wanted != "" {
		b.project.Toolchain = append(b.project.Toolchain, Tool{Tool: tool, Wanted: wanted, Evidence: source})
	}
}

func (b *builder) port(p Port) { b.ports = append(b.ports, p) }

func (b *builder) member(kind, pattern string, source Evidence) {
	b.project.Members = append(b.project.Members, Pattern{kind, pattern, source})
}

// empty reports whether a project is none: a package.json that only says of which kind the modules beside it are.
func (b *builder) empty() bool {
	if b.path == b.d.folder || len(b.found) != 1 || b.found["node"] == nil {
		return false
	}
	return len(b.deps)+len(b.scripts)+len(b.project.Members) == 0 && b.project.Name == "" &&
		!slices.ContainsFunc(b.d.problems, func(p files.Problem) bool { return path.Dir(p.File) == b.path })
}

// finish makes of the facts what the project is.
func (b *builder) finish() {
	p := &b.project
	b.findManagers()
	b.develops = b.developing()
	hidden := map[string]bool{}
	for _, f := range b.found {
		for _, id := range f.def.Supersedes {
			hidden[id] = hidden[id] || !b.beside(f, b.found[id])
		}
	}
	var all []*Found
	for _, id := range slices.Sorted(maps.Keys(b.found)) {
		f := b.found[id]
		slices.SortFunc(f.Evidence, compareEvidence)
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
	slices.SortStableFunc(all, func(x, y *Found) int { return cmp.Compare(scores[y], scores[x]) })
	if len(all) > 0 {
		p.MainStack, p.Ready = all[0].ID, all[0].def.Ready
		b.sure = mainSure(all, scores)
		p.MainConfidence = b.sure.String()
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

// score tells how much a stack is the main one of the project: by its weight, more if the script with which people
// develop starts it, less if only a hint tells it, if only tests or tools need it, if it is about the documents of a package,
// or if it is only there for the projects below.
func (b *builder) score(f *Found) int {
	score := 10 * f.def.weight()
	switch f.Evidence[0].Rank {
	case Shared:
		if score -= 120; b.foreign(f) {
			score -= 300 // a name that another language uses too
		}
	case Hoisted:
		score -= 400
	}
	npm := ecosystem(f.def) == "npm"
	file := slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return e.Rank == Config && path.Dir(e.File) == b.path })
	switch tool := b.onlyTool(f); {
	case npm && f.Kind != "language" && b.d.matchesOne(f.def.DevServerPatterns, b.develops):
		score += 60
	case npm && !file && b.holdsOthers() && f.def.weight() > weights["monorepo"]:
		score -= 400 // for the projects below
	case npm && !file && f.Kind == "ssg" && len(b.develops) > 0:
		score -= 200 // the documents of something else
	case f.Kind == "bundler" && npm && b.otherLanguage():
		score -= 200 // what is built for it by the way
	case f.Kind == "language" && npm && len(b.develops) == 0 && b.otherLanguage() && !b.isProgram():
		score -= 30 // tools that are written in it
	case tool && !file && (f.Kind == "server-library" || !npm):
		score -= 400 // what only tests use
	case tool && !file && strings.Contains(f.def.Dev, "{exec}") && !b.calledAnywhere(f.def):
		score -= 200 // what other tools use
	}
	if f.Kind == "docs" && b.packaged {
		score -= 100
	}
	if !npm && f.Kind == "server-library" {
		score += 20 // what a package.json beside it starts is its front
	}
	return score
}

// onlyTool reports whether a stack is known only by dependencies that are there to work on the project.
func (b *builder) onlyTool(f *Found) bool {
	some := false
	for registry, names := range f.def.Deps {
		for _, name := range names {
			if dep, ok := b.deps[registry+" "+name]; ok {
				if !dep.dev {
					return false
				}
				some = true
			}
		}
	}
	return some
}

// calledAnywhere reports whether a script runs the program of a stack, or there is neither a script nor a task runner that
// could.
func (b *builder) calledAnywhere(def *Definition) bool {
	_, after, _ := strings.Cut(def.Dev, "{exec} ")
	program, _, _ := strings.Cut(after, " ")
	some := b.found["gulp"] != nil || b.found["grunt"] != nil
	for _, s := range b.scripts {
		if s.from != "npm" && s.from != "deno" {
			continue
		}
		some = true
		words := strings.FieldsFunc(s.line, func(r rune) bool { return strings.ContainsRune(" \t\"'`;&|()", r) })
		if slices.Contains(words, program) || b.d.matchesAny(def.DevServerPatterns, s.line) {
			return true
		}
	}
	return !some
}

// isProgram reports whether package.json has what a program is made of: dependencies, and scripts.
func (b *builder) isProgram() bool {
	scripts := slices.ContainsFunc(b.scripts, func(s script) bool { return s.from == "npm" })
	for key, dep := range b.deps {
		if scripts && !dep.dev && strings.HasPrefix(key, "npm ") {
			return true
		}
	}
	return false
}

// beside reports whether a site of documents lies beside what it is made with otherwise: the one that people develop.
func (b *builder) beside(site, other *Found) bool {
	return other != nil && site.Kind == "ssg" && b.d.matchesOne(other.def.DevServerPatterns, b.develops) &&
		!b.d.matchesOne(site.def.DevServerPatterns, b.develops)
}

// foreign reports whether a stack is of another ecosystem than all languages of the project that more than a hint tells.
func (b *builder) foreign(f *Found) bool {
	some := false
	for _, l := range b.found {
		if l.Kind != "language" || !l.def.Root || l.ID == "node" || l.Evidence[0].Rank < Config {
			continue
		}
		if some = true; ecosystem(l.def) == ecosystem(f.def) {
			return false
		}
	}
	return some && ecosystem(f.def) != ""
}

// otherLanguage reports whether the project is of a language besides that of package.json.
func (b *builder) otherLanguage() bool {
	for _, f := range b.found {
		if f.Kind == "language" && f.def.Root && f.ID != "deno" && ecosystem(f.def) != "npm" && f.Evidence[0].Rank >= Config {
			return true
		}
	}
	return false
}

// holdsOthers reports whether the project is the top of a workspace of many packages of Node.
func (b *builder) holdsOthers() bool {
	for _, f := range b.found {
		if f.Kind == "monorepo" && ecosystem(f.def) == "npm" {
			return true
		}
	}
	return slices.ContainsFunc(b.project.Members, func(p Pattern) bool { return p.Kind == "npm" || p.Kind == "pnpm" })
}

// expect gathers the names of the processes to expect.
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
		names[path.Base(b.goModule)+suffix] = true
	}
	for _, bin := range b.cargo.bins {
		names[bin+suffix] = true
	}
	delete(names, "")
	b.project.ExpectedProcesses = append(b.project.ExpectedProcesses, slices.Sorted(maps.Keys(names))...)
}
