package stack

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
)

// A lock is a file that a package manager of an ecosystem writes or reads.
type lock struct{ ecosystem, file, manager string }

// locks are the files that package managers write, the most reliable of an ecosystem first.
var locks = [...]lock{
	{"npm", "bun.lock", "bun"},
	{"npm", "bun.lockb", "bun"},
	{"npm", "pnpm-lock.yaml", "pnpm"},
	{"npm", "yarn.lock", "yarn"},
	{"npm", "package-lock.json", "npm"},
	{"npm", "npm-shrinkwrap.json", "npm"},
	{"pypi", "uv.lock", "uv"},
	{"pypi", "poetry.lock", "poetry"},
	{"pypi", "pdm.lock", "pdm"},
	{"pypi", "Pipfile.lock", "pipenv"},
	{"pypi", "pixi.lock", "pixi"},
	{"pypi", "conda-lock.yml", "conda"},
}

// settings are the files that only one package manager reads.
var settings = [...]lock{
	{"npm", ".yarnrc.yml", "yarn"},
	{"npm", "pnpm-workspace.yaml", "pnpm"},
	{"npm", "bunfig.toml", "bun"},
	{"pypi", "uv.toml", "uv"},
	{"pypi", "Pipfile", "pipenv"},
	{"pypi", "pixi.toml", "pixi"},
	{"pypi", "hatch.toml", "hatch"},
}

// only are the ecosystems with one package manager, by language.
var only = []struct{ language, ecosystem, manager string }{
	{"rust", "cargo", "cargo"},
	{"go", "go", "go"},
	{"java-maven", "maven", "maven"},
	{"java-gradle", "maven", "gradle"},
	{"dotnet", "nuget", "dotnet"},
	{"swift", "swiftpm", "swift"},
	{"scala-sbt", "maven", "sbt"},
	{"haskell", "hackage", "cabal"},
	{"gleam", "hex", "gleam"},
	{"erlang", "hex", "rebar3"},
	{"zig", "zig", "zig"},
	{"crystal", "shards", "shards"},
	{"julia", "julia", "pkg"},
	{"clojure", "maven", "clojure"},
	{"deno", "deno", "deno"},
	{"elm", "elm", "elm"},
	{"nim", "nimble", "nimble"},
	{"ocaml", "opam", "opam"},
	{"d", "dub", "dub"},
	{"lua", "luarocks", "luarocks"},
	{"conan", "cpp", "conan"},
	{"vcpkg", "cpp", "vcpkg"},
}

// manager notes that a manifest names a package manager. The better evidence counts.
func (b *builder) manager(ecosystem, name, version string, source Evidence) {
	if known := b.managers[ecosystem]; known == nil || known.Evidence[0].Rank < source.Rank {
		b.managers[ecosystem] = &Manager{Name: name, Version: version, Ecosystem: ecosystem, Evidence: []Evidence{source}}
	}
}

func (b *builder) declaredManager(name, version string, source Evidence) {
	if b.declared == nil {
		b.declared = &Manager{Name: name, Version: version, Ecosystem: "npm", Evidence: []Evidence{source}}
	}
}

func (b *builder) allowedManager(name string, source Evidence) {
	if b.allowed == nil {
		b.allowed = &Manager{Name: name, Ecosystem: "npm", Evidence: []Evidence{source}}
	}
}

// findManagers finds the package managers of the project: by what it declares, by lock files, and by
// settings. Each counts in the nearest folder, from the project's own up to the top of the
// workspace.
func (b *builder) findManagers() {
	if b.found["node"] != nil || b.declared != nil {
		b.managers["npm"] = b.search("npm")
		if b.managers["npm"] == nil {
			b.managers["npm"] = &Manager{Name: "npm", Ecosystem: "npm", Evidence: []Evidence{{File: path.Join(b.path, "package.json"), Rank: Hoisted}}}
		}
	}
	if b.found["python"] != nil {
		if m := b.search("pypi"); m != nil {
			b.managers["pypi"] = m
		} else if b.managers["pypi"] == nil {
			b.managers["pypi"] = &Manager{Name: "pip", Ecosystem: "pypi", Evidence: b.found["python"].Evidence[:1]}
		}
	}
	for _, o := range only {
		f, known := b.found[o.language], b.managers[o.ecosystem]
		switch {
		case f == nil:
		case known == nil:
			b.managers[o.ecosystem] = &Manager{Name: o.manager, Ecosystem: o.ecosystem, Evidence: f.Evidence[:1:1]}
		case known.Name == "maven" && o.manager == "gradle": // the project can be built with both
			known.Conflict, known.Others = true, append(known.Others, o.manager)
			known.Evidence = append(known.Evidence, f.Evidence[0])
		}
	}
}

func (b *builder) search(ecosystem string) *Manager {
	for at := b.path; ; at = path.Dir(at) {
		if m := b.managerAt(at, ecosystem); m != nil {
			return m
		}
		if at == "." {
			break
		}
	}
	if ecosystem == "npm" && b.allowed != nil {
		return b.allowed
	}
	if m := b.managers[ecosystem]; m != nil && m.Evidence[0].Rank >= Config {
		return m
	}
	for at := b.path; ; at = path.Dir(at) {
		for _, s := range settings {
			if file := path.Join(at, s.file); s.ecosystem == ecosystem && b.d.has(file) {
				return &Manager{Name: s.manager, Ecosystem: ecosystem, Evidence: []Evidence{{File: file, Rank: Config}}}
			}
		}
		if at == "." {
			break
		}
	}
	if ecosystem == "npm" {
		return b.hintedManager()
	}
	return nil
}

// hintedManager returns the package manager of Node that engines or scripts name, if they name
// exactly one.
func (b *builder) hintedManager() (found *Manager) {
	for _, t := range b.project.Toolchain {
		if !strings.HasPrefix(t.Evidence.Key, "engines.") || !slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, t.Tool) {
			continue
		}
		if found != nil {
			return nil
		}
		found = &Manager{Name: t.Tool, Ecosystem: "npm", Evidence: []Evidence{t.Evidence}}
	}
	if found != nil {
		return found
	}
	return b.managerInScripts()
}

// managerAt returns the package manager that a folder declares or has a lock file of. Lock files of
// others are a conflict, which it reports. Their age decides only if one was written long after all
// others: the files of a fresh clone have one age.
func (b *builder) managerAt(folder, ecosystem string) *Manager {
	var m *Manager
	if ecosystem == "npm" {
		if declared := b.d.builderAt(folder).declared; declared != nil {
			clone := *declared
			m = &clone
		}
	}
	var there []lock
	for _, l := range locks {
		if l.ecosystem == ecosystem && b.d.has(path.Join(folder, l.file)) {
			there = append(there, l)
		}
	}
	if m == nil {
		b.d.newestFirst(folder, there)
	}
	for _, l := range there {
		e := Evidence{File: path.Join(folder, l.file), Rank: Config}
		switch {
		case m == nil:
			m = &Manager{Name: l.manager, Ecosystem: ecosystem, Evidence: []Evidence{e}}
		case m.Name == l.manager:
			m.Evidence = append(m.Evidence[:len(m.Evidence):len(m.Evidence)], e)
		default:
			m.Conflict = true
			if !slices.Contains(m.Others, l.manager) {
				m.Others = append(m.Others[:len(m.Others):len(m.Others)], l.manager)
			}
			m.Evidence = append(m.Evidence[:len(m.Evidence):len(m.Evidence)], e)
		}
	}
	return m
}

// longAfter is how much newer a lock file must be than all others to decide which package manager
// people use.
const longAfter = time.Hour

// newestFirst moves a lock file to the front if it was written long after the others.
func (d *detection) newestFirst(folder string, there []lock) {
	if len(there) < 2 {
		return
	}
	var newest int
	times := make([]time.Time, len(there))
	for i, l := range there {
		var err error
		if times[i], err = d.reader.ModTime(path.Join(folder, l.file)); err != nil {
			return
		}
		if times[i].After(times[newest]) {
			newest = i
		}
	}
	for i, t := range times {
		if there[i].manager != there[newest].manager && times[newest].Sub(t) < longAfter {
			return
		}
	}
	first := there[newest]
	copy(there[1:newest+1], there[:newest])
	there[0] = first
}

// declaring are the files that declare the projects of a workspace, or its package manager.
var declaring = []string{
	"package.json", "pnpm-workspace.yaml", "lerna.json", "rush.json", "deno.json", "deno.jsonc", "go.work", "Cargo.toml", "pyproject.toml",
	"settings.gradle", "settings.gradle.kts", "pom.xml", "mix.exs", "pubspec.yaml", "*.sln", "*.slnx",
}

// builderAt returns the project in a folder. For a folder above the requested one it has only what
// its files declare.
func (d *detection) builderAt(folder string) *builder {
	for _, b := range d.builders {
		if b.path == folder {
			return b
		}
	}
	if b := d.above[folder]; b != nil {
		return b
	}
	b := newBuilder(d, folder)
	d.above[folder] = b
	if above := d.at(folder); above != nil && !d.under(folder) {
		for _, name := range above.Files {
			if slices.Contains(declaring, name) || slices.Contains(declaring, "*"+path.Ext(name)) {
				for _, p := range append(d.places[name], d.exts[path.Ext(name)]...) {
					b.readManifest(manifestFile{path.Join(folder, name), p.read})
				}
			}
		}
	}
	return b
}

// under reports whether a folder was walked.
func (d *detection) under(folder string) bool {
	return d.folder == "." || folder == d.folder || strings.HasPrefix(folder, d.folder+"/")
}

// nodeManager returns the name of the package manager of Node.
func (b *builder) nodeManager() string {
	if m := b.managers["npm"]; m != nil {
		return m.Name
	}
	return "npm"
}

// ecosystem returns the ecosystem of the packages of a stack, "" if it is unknown. The dependencies
// of the stacks that it names do not tell.
func ecosystem(def *Definition) string {
	switch def.ID {
	case "node", "typescript", "bun", "turborepo", "nx", "lerna", "rush":
		return "npm"
	case "python", "django":
		return "pypi"
	case "ruby", "rails":
		return "rubygems"
	case "php", "laravel", "wordpress":
		return "packagist"
	case "java-maven", "java-gradle", "scala-sbt", "clojure":
		return "maven"
	case "dotnet", "aspnet", "blazor", "maui", "fsharp":
		return "nuget"
	case "elixir":
		return "hex"
	case "dart":
		return "pub"
	case "go":
		return "go"
	case "rust", "trunk":
		return "cargo"
	case "swift":
		return "swiftpm"
	case "deno":
		return "deno"
	case "cpp-cmake", "cpp-meson":
		return "cpp"
	case "hugo":
		return ""
	}
	for _, o := range only {
		if o.language == def.ID {
			return o.ecosystem
		}
	}
	for _, registry := range []string{"npm", "pypi", "rubygems", "packagist", "hex", "cpan", "maven", "cargo", "go", "pub", "nuget", "swiftpm", "deno"} {
		if len(def.Deps[registry]) > 0 {
			return registry
		}
	}
	return ""
}

// chooseManager chooses the package manager of the main stack.
func (b *builder) chooseManager() {
	p := &b.project
	for _, m := range b.managers {
		p.PackageManagers = append(p.PackageManagers, *m)
	}
	sortBy(p.PackageManagers, func(x, y Manager) int { return cmp.Compare(x.Ecosystem, y.Ecosystem) })
	for i, f := range p.Stacks {
		if m := b.managers[ecosystem(f.def)]; m != nil {
			p.PackageManager = m
			return
		}
		if i == 0 && f.Kind == "language" {
			return // it has no package manager, and another ecosystem's is not its own
		}
	}
}

// managerOf returns the package manager of Node that a program in a script tells of, "" if it tells of none.
func managerOf(program string) string {
	switch program {
	case "npm", "npx":
		return "npm"
	case "yarn":
		return "yarn"
	case "pnpm", "pnpx":
		return "pnpm"
	case "bunx":
		return "bun"
	}
	return ""
}

// managerInScripts returns the package manager of Node that the scripts call, if they call only one.
func (b *builder) managerInScripts() (found *Manager) {
	for _, s := range b.scripts {
		if s.from != "npm" {
			continue
		}
		for _, word := range strings.FieldsFunc(s.line, func(r rune) bool { return strings.ContainsRune(" \t\"'`;&|():", r) }) {
			switch name := managerOf(word); {
			case name == "":
			case found == nil:
				source := s.source
				source.Rank = Shared
				found = &Manager{Name: name, Ecosystem: "npm", Evidence: []Evidence{source}}
			case found.Name != name:
				return nil
			}
		}
	}
	return found
}
