package stack

import (
	"errors"
	"strings"
)

// requirement splits a requirement of PEP 508 into the name, in the form for comparison, and the
// versions that it allows.
func requirement(line string) (name, version string) {
	line, _, _ = strings.Cut(line, "#")
	line, _, _ = strings.Cut(line, ";")
	line = strings.TrimSpace(line)
	end := strings.IndexFunc(line, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' || r == '.')
	})
	if end < 0 {
		end = len(line)
	}
	name, rest := line[:end], strings.TrimSpace(line[end:])
	if strings.HasPrefix(rest, "[") { // extras
		_, rest, _ = strings.Cut(rest, "]")
	}
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "@") || strings.HasPrefix(rest, "(") {
		rest = strings.Trim(rest, "()")
	}
	return strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(name)), rest
}

func (b *builder) requires(f file, text, key string, dev bool) {
	if name, version := requirement(text); name != "" {
		b.addDependency("pypi", name, version, f.at(Dependency, key, text), dev)
	}
}

func pyproject(b *builder, f file) error {
	tasks, err := b.tasks(f, parsePython)
	if tasks == nil {
		return err
	}
	t := tasks.table
	b.setName(textIn(t, "project", "name"))
	b.setName(textIn(t, "tool", "poetry", "name"))
	b.packaged = b.packaged || tableIn(t, "build-system") != nil
	b.wantTool("python", textIn(t, "project", "requires-python"), f.at(Declared, "project.requires-python", "requires-python"))
	for _, r := range textsIn(t, "project", "dependencies") {
		b.requires(f, r, "project.dependencies", false)
	}
	for _, section := range [][]string{{"project", "optional-dependencies"}, {"dependency-groups"}} {
		for group, list := range tableIn(t, section...) {
			values, _ := list.([]any)
			for _, v := range values {
				if r, ok := v.(string); ok {
					b.requires(f, r, strings.Join(section, ".")+"."+group, true)
				}
			}
		}
	}
	for _, r := range textsIn(t, "tool", "uv", "dev-dependencies") {
		b.requires(f, r, "tool.uv.dev-dependencies", true)
	}
	poetry := tableIn(t, "tool", "poetry")
	b.poetryDeps(f, tableIn(poetry, "dependencies"), "tool.poetry.dependencies", false)
	b.poetryDeps(f, tableIn(poetry, "dev-dependencies"), "tool.poetry.dev-dependencies", true)
	for group := range tableIn(poetry, "group") {
		b.poetryDeps(f, tableIn(poetry, "group", group, "dependencies"), "tool.poetry.group."+group+".dependencies", true)
	}
	for _, m := range textsIn(t, "tool", "uv", "workspace", "members") {
		b.addMember("uv", m, f.at(Declared, "tool.uv.workspace.members", "members", m))
	}
	for _, section := range [][]string{{"project", "scripts"}, {"tool", "poetry", "scripts"}} {
		for name := range tableIn(t, section...) {
			key := strings.Join(section, ".")
			b.addScript(script{from: "entry", kind: "start", name: name, argv: []string{name}, source: f.at(Declared, key+"."+name, "["+key, name)})
		}
	}
	b.scriptsOf(f, tasks, "python")
	b.pythonManager(f, t)
	return nil
}

// pythonManager finds the package manager by the tables of pyproject.toml. A project without a build
// system is one of uv.
func (b *builder) pythonManager(f file, t map[string]any) {
	for _, name := range []string{"uv", "poetry", "pdm", "pixi", "hatch"} {
		if tableIn(t, "tool", name) != nil {
			b.manager("pypi", name, "", f.at(Config, "tool."+name, "[tool."+name))
			return
		}
	}
	switch backend := textIn(t, "build-system", "build-backend"); {
	case strings.HasPrefix(backend, "poetry."):
		b.manager("pypi", "poetry", "", f.at(Config, "build-system.build-backend", "build-backend"))
	case strings.HasPrefix(backend, "pdm."):
		b.manager("pypi", "pdm", "", f.at(Config, "build-system.build-backend", "build-backend"))
	case strings.HasPrefix(backend, "uv_build"):
		b.manager("pypi", "uv", "", f.at(Config, "build-system.build-backend", "build-backend"))
	case backend == "" && tableIn(t, "project") != nil && b.has(".python-version"):
		b.manager("pypi", "uv", "", f.at(Shared, "project", "[project]"))
	}
}

func (b *builder) poetryDeps(f file, table map[string]any, section string, dev bool) {
	for name, value := range table {
		version, _ := value.(string)
		if m, ok := value.(map[string]any); ok {
			version = textIn(m, "version")
		}
		source := f.at(Dependency, section+"."+name, "["+section+"]", name)
		if name == "python" {
			b.wantTool("python", version, source)
			continue
		}
		name, _ := requirement(name)
		b.addDependency("pypi", name, version, source, dev)
	}
}

func requirements(b *builder, f file) error {
	for line := range strings.Lines(string(f.data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '-' {
			continue
		}
		b.requires(f, line, "", strings.Contains(f.base, "dev"))
	}
	b.manager("pypi", "pip", "", f.at(Shared, ""))
	return nil
}

func pipfile(b *builder, f file) error {
	tasks, err := b.tasks(f, parsePipfile)
	if tasks == nil {
		return err
	}
	t := tasks.table
	b.poetryDeps(f, tableIn(t, "packages"), "packages", false)
	b.poetryDeps(f, tableIn(t, "dev-packages"), "dev-packages", true)
	b.wantTool("python", textIn(t, "requires", "python_version"), f.at(Declared, "requires.python_version", "python_version"))
	b.scriptsOf(f, tasks, "python")
	return err
}

var quotedWord = expression{text: `["']([A-Za-z][\w.-]*(?:\[[\w, -]*\])?\s*(?:[<>=!~]=?[^"']*)?)["']`}

// setupPy reads the names in install_requires. It does not run the code.
func setupPy(b *builder, f file) error {
	text := string(f.data)
	_, after, ok := strings.Cut(text, "install_requires")
	b.packaged = b.packaged || f.base == "setup.py"
	b.manager("pypi", "pip", "", f.at(Shared, ""))
	if !ok {
		return nil
	}
	if f.base == "setup.cfg" {
		for line := range strings.Lines(strings.TrimLeft(after, " =")) {
			if line[0] != ' ' && line[0] != '\t' && strings.TrimSpace(line) != "" {
				break
			}
			b.requires(f, strings.TrimSpace(line), "options.install_requires", false)
		}
		return nil
	}
	inside, _, _ := strings.Cut(after, "]")
	for _, m := range quotedWord.get().FindAllStringSubmatch(inside, -1) {
		b.requires(f, m[1], "install_requires", false)
	}
	return nil
}

func conda(b *builder, f file) error {
	m, err := yamlMap(f.data)
	deps, _ := in(m, "dependencies").([]any)
	for _, d := range deps {
		switch d := d.(type) {
		case string:
			name, version, _ := strings.Cut(d, "=")
			if name == "python" {
				b.wantTool("python", strings.Trim(version, "="), f.at(Declared, "dependencies", d))
				continue
			}
			b.requires(f, name, "dependencies", false)
		case map[string]any:
			for _, r := range textsIn(d, "pip") {
				b.requires(f, r, "dependencies.pip", false)
			}
		}
	}
	b.manager("pypi", "conda", "", f.at(Config, ""))
	return err
}

func runtimeTxt(b *builder, f file) error {
	if v, ok := strings.CutPrefix(strings.TrimSpace(string(f.data)), "python-"); ok {
		b.wantTool("python", v, f.at(Declared, ""))
	}
	return nil
}

// versionFile returns a reader of files whose first line is the version of a tool.
func versionFile(tool string) manifestReader {
	return func(b *builder, f file) error {
		for line := range strings.Lines(string(f.data)) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			if strings.HasPrefix(line, "[") { // rust-toolchain may be TOML
				return rustToolchain(b, f)
			}
			if len(line) > 100 {
				return errors.New("its first line is not a version")
			}
			b.wantTool(tool, line, Evidence{File: f.path, Line: 1, Rank: Declared})
			return nil
		}
		return nil
	}
}
