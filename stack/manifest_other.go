package stack

import (
	"fmt"
	"strings"
)

var (
	gemLine    = expression{text: `^\s*(?:gem|\w+\.add_(?:runtime_|development_)?dependency)[ (]+["']([\w./-]+)["'](?:\s*,\s*["']([^"']+)["'])?`}
	rubyLine   = expression{text: `^\s*ruby\s+["']([^"']+)["']`}
	mixDep     = expression{text: `\{\s*:(\w+)\s*,\s*(?:"([^"]*)")?`}
	mixRuns    = expression{text: `(?m)^[^#\n]*\bmod:\s*\{`}
	mixElixir  = expression{text: `(?m)^\s*elixir:\s*"([^"]+)"`}
	mixApp     = expression{text: `(?m)^\s*app:\s*:(\w+)`}
	appsPath   = expression{text: `apps_path:\s*"([^"]+)"`}
	swiftDep   = expression{text: `\.package\([^)]*url:\s*"https?://[^/"]+/([\w.-]+/[\w.-]+?)(?:\.git)?"`}
	swiftTools = expression{text: `(?m)^//\s*swift-tools-version:\s*([\d.]+)`}
)

func gemfile(b *builder, f file) error {
	n := 0
	for line := range strings.Lines(string(f.data)) {
		n++
		if m := gemLine.get().FindStringSubmatch(line); m != nil {
			b.addDependency("rubygems", m[1], m[2], Evidence{File: f.path, Line: n, Key: "gem", Rank: Dependency}, strings.Contains(line, "development"))
		}
		if m := rubyLine.get().FindStringSubmatch(line); m != nil {
			b.wantTool("ruby", m[1], Evidence{File: f.path, Line: n, Key: "ruby", Rank: Declared})
		}
	}
	if !strings.HasSuffix(f.base, ".gemspec") {
		b.manager("rubygems", "bundler", "", f.at(Config, ""))
	}
	return nil
}

func composerJSON(b *builder, f file) error {
	t, err := b.tasks(f, parseComposer)
	if t == nil {
		return err
	}
	o := t.object
	b.setName(text(o["name"]))
	for _, section := range []string{"require", "require-dev"} {
		for name, version := range object(o[section]) {
			source := f.at(Dependency, section+"."+name, `"`+section+`"`, `"`+name+`"`)
			if name == "php" {
				b.wantTool("php", text(version), source)
			} else {
				b.addDependency("packagist", name, text(version), source, section == "require-dev")
			}
		}
	}
	b.scriptsOf(f, t, "composer")
	b.manager("packagist", "composer", "", f.at(Config, ""))
	return err
}

var cpanDep = expression{text: `(?m)^\s*(?:requires\s+)?["']([A-Z]\w*(?:::\w+)*)["'](?:\s*(?:=>|,)\s*["']?([\w.]+))?`}

// cpanfile reads the dependencies of a Perl project from a cpanfile, or from the program that makes
// its Makefile.
func cpanfile(b *builder, f file) error {
	for _, m := range cpanDep.get().FindAllSubmatch(f.data, -1) {
		b.addDependency("cpan", string(m[1]), string(m[2]), f.at(Dependency, "requires", string(m[1])), false)
	}
	return nil
}

func mixExs(b *builder, f file) error {
	b.mixRuns = mixRuns.get().Match(f.data)
	for _, m := range mixDep.get().FindAllSubmatchIndex(f.data, -1) {
		name, version := string(f.data[m[2]:m[3]]), ""
		if m[4] >= 0 {
			version = string(f.data[m[4]:m[5]])
		}
		b.addDependency("hex", name, version, f.at(Dependency, "deps", string(f.data[m[0]:m[1]])), false)
	}
	if m := mixElixir.get().FindSubmatch(f.data); m != nil {
		b.wantTool("elixir", string(m[1]), f.at(Declared, "elixir", string(m[0])))
	}
	if m := mixApp.get().FindSubmatch(f.data); m != nil {
		b.setName(string(m[1]))
	}
	if m := appsPath.get().FindSubmatch(f.data); m != nil {
		b.addMember("mix", string(m[1])+"/*", f.at(Declared, "apps_path", "apps_path"))
	}
	b.manager("hex", "mix", "", f.at(Config, ""))
	return nil
}

func pubspec(b *builder, f file) error {
	m, err := yamlMap(f.data)
	b.setName(textIn(m, "name"))
	for _, section := range []string{"dependencies", "dev_dependencies"} {
		for name, value := range tableIn(m, section) {
			version, _ := value.(string)
			b.addDependency("pub", name, version, f.at(Dependency, section+"."+name, section+":", name+":"), section == "dev_dependencies")
		}
	}
	b.wantTool("dart", textIn(m, "environment", "sdk"), f.at(Declared, "environment.sdk", "environment:", "sdk:"))
	b.wantTool("flutter", textIn(m, "environment", "flutter"), f.at(Declared, "environment.flutter", "environment:", "flutter:"))
	for _, p := range textsIn(m, "workspace") {
		b.addMember("pub", p, f.at(Declared, "workspace", p))
	}
	b.manager("pub", "pub", "", f.at(Config, ""))
	return err
}

func packageSwift(b *builder, f file) error {
	for _, m := range swiftDep.get().FindAllSubmatch(f.data, -1) {
		b.addDependency("swiftpm", string(m[1]), "", f.at(Dependency, "package", string(m[1])), false)
	}
	if m := swiftTools.get().FindSubmatch(f.data); m != nil {
		b.wantTool("swift", string(m[1]), f.at(Declared, "swift-tools-version", string(m[0])))
	}
	return nil
}

func toolVersions(b *builder, f file) error {
	n := 0
	for line := range strings.Lines(string(f.data)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if fields := strings.Fields(line); len(fields) > 1 {
			b.wantTool(toolName(fields[0]), fields[1], Evidence{File: f.path, Line: n, Key: fields[0], Rank: Declared})
		}
	}
	return nil
}

func miseToml(b *builder, f file) error {
	t, err := b.tasks(f, parseMise)
	if t == nil {
		return err
	}
	for tool, value := range tableIn(t.table, "tools") {
		version, _ := value.(string)
		switch v := value.(type) {
		case map[string]any:
			version = textIn(v, "version")
		case []any:
			if len(v) > 0 {
				version, _ = v[0].(string)
			}
		case int64, float64:
			version = fmt.Sprint(v)
		}
		b.wantTool(toolName(tool), version, f.at(Declared, "tools."+tool, "[tools]", tool))
	}
	b.scriptsOf(f, t, "mise")
	return err
}

// toolName returns the name that other files give to a tool of asdf and mise.
func toolName(plugin string) string {
	switch plugin {
	case "nodejs":
		return "node"
	case "golang":
		return "go"
	case "dotnet-core":
		return "dotnet"
	}
	return plugin
}
