package stack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/tidwall/jsonc"
	"go.yaml.in/yaml/v3"

	"devtools/stack/files"
)

// A manifestReader reads the facts of a project from a file. An error names what it could not read.
// The facts before the error count.
type manifestReader func(b *builder, f file) error

// A file is a manifest with its content.
type file struct {
	path string // from the top of the workspace
	base string
	data []byte
}

// at returns the evidence of a line: the first line with the last of some texts. It looks for each
// text behind the one before it.
func (f file) at(rank Rank, key string, texts ...string) Evidence {
	return Evidence{File: f.path, Line: lineOf(f.data, texts...), Key: key, Rank: rank}
}

func lineOf(data []byte, texts ...string) int {
	at := 0
	for _, text := range texts {
		i := bytes.Index(data[at:], []byte(text))
		if i < 0 {
			return 0
		}
		at += i
	}
	if len(texts) == 0 {
		return 0
	}
	return 1 + bytes.Count(data[:at], []byte("\n"))
}

// readers returns the readers by file name. A manifest lies in the folder of its project, or below
// it if the name has a folder.
var readers = sync.OnceValue(func() map[string]manifestReader {
	return map[string]manifestReader{
		"package.json": packageJSON, "deno.json": denoJSON, "deno.jsonc": denoJSON, "pnpm-workspace.yaml": pnpmWorkspace,
		"lerna.json": lernaJSON, "rush.json": rushJSON, "angular.json": angularJSON, "project.json": nxProject,
		"pyproject.toml": pyproject, "requirements.txt": requirements, "requirements-dev.txt": requirements, "dev-requirements.txt": requirements,
		"requirements/*.txt": requirements, "Pipfile": pipfile, "setup.py": setupPy, "setup.cfg": setupPy, "environment.yml": conda,
		"environment.yaml": conda, "runtime.txt": runtimeTxt,
		"Cargo.toml": cargoToml, "rust-toolchain": versionFile("rust"), "rust-toolchain.toml": rustToolchain,
		"go.mod": goMod, "go.work": goWork,
		"Gemfile": gemfile, "gems.rb": gemfile, "*.gemspec": gemfile,
		"composer.json": composerJSON,
		"cpanfile":      cpanfile, "Makefile.PL": cpanfile,
		"pom.xml": pomXML, "build.gradle": gradleFile, "build.gradle.kts": gradleFile, "settings.gradle": gradleSettings,
		"settings.gradle.kts": gradleSettings, "gradle/libs.versions.toml": gradleFile, "build.sbt": gradleFile, ".sdkmanrc": sdkmanrc,
		"*.csproj": csproj, "*.fsproj": csproj, "global.json": globalJSON, "*.sln": solution, "*.slnx": solution,
		"Properties/launchSettings.json": launchSettings,
		"mix.exs":                        mixExs, "pubspec.yaml": pubspec, "Package.swift": packageSwift, "deps.edn": gradleFile, "project.clj": gradleFile,
		"Makefile": makefile, "makefile": makefile, "GNUmakefile": makefile, "justfile": justfile, "Justfile": justfile, ".justfile": justfile,
		"Taskfile.yml": taskfile, "Taskfile.yaml": taskfile, "taskfile.yml": taskfile, "taskfile.yaml": taskfile, "Taskfile.dist.yml": taskfile,
		"mise.toml": miseToml, ".mise.toml": miseToml, ".config/mise.toml": miseToml, ".tool-versions": toolVersions,
		"Procfile": procfile, "Procfile.dev": procfile,
		"compose.yaml": composeFile, "compose.yml": composeFile, "docker-compose.yml": composeFile, "docker-compose.yaml": composeFile,
		"compose.override.yaml": composeFile, "compose.override.yml": composeFile, "docker-compose.override.yml": composeFile,
		"docker-compose.override.yaml":    composeFile,
		".devcontainer/devcontainer.json": devcontainer, ".devcontainer.json": devcontainer, ".vscode/tasks.json": vscodeTasks,
		".nvmrc": versionFile("node"), ".node-version": versionFile("node"), ".python-version": versionFile("python"),
		".ruby-version": versionFile("ruby"), ".go-version": versionFile("go"), ".java-version": versionFile("java"), ".php-version": versionFile("php"),
		".swift-version": versionFile("swift"), ".zig-version": versionFile("zig"), ".terraform-version": versionFile("terraform"),
		".bazelversion": versionFile("bazel"), ".dvmrc": versionFile("deno"), ".deno-version": versionFile("deno"), ".bun-version": versionFile("bun"),
		"src/main/resources/application.properties": springProperties, "src/main/resources/application.yml": springYAML,
		"src/main/resources/application.yaml": springYAML,
		"vite.config.js":                      scriptPort, "vite.config.ts": scriptPort, "vite.config.mjs": scriptPort, "vite.config.mts": scriptPort,
		"astro.config.mjs": scriptPort, "astro.config.ts": scriptPort, "nuxt.config.ts": scriptPort, "nuxt.config.js": scriptPort,
		"vite.config.cjs": scriptPort, "vite.config.cts": scriptPort, "astro.config.js": scriptPort, "nuxt.config.mjs": scriptPort,
		"webpack.config.js": scriptPort, "webpack.config.ts": scriptPort, "rsbuild.config.ts": scriptPort, "rsbuild.config.js": scriptPort,
		"rspack.config.js": scriptPort, "rspack.config.ts": scriptPort, "rspack.config.mjs": scriptPort, "vue.config.js": scriptPort,
		"farm.config.ts": scriptPort, "quasar.config.js": scriptPort, "quasar.config.ts": scriptPort, "svelte.config.js": scriptPort,
		"config/puma.rb":         portSetting("port", `(?m)^\s*port\s*\(?\s*(?:ENV\.fetch\(["']PORT["']\)?[\s,{]*["']?)?(\d{2,5})`),
		"config/dev.exs":         portSetting("http.port", `http:\s*\[[^\]]*?\bport:\s*(\d{2,5})`),
		"config/runtime.exs":     portSetting("http.port", `System\.get_env\("PORT"\)?\s*(?:\|\||,)\s*"(\d{2,5})"`),
		"config/server.ts":       portSetting("port", `env\.int\(\s*["']PORT["']\s*,\s*(\d{2,5})`),
		"config/server.js":       portSetting("port", `env\.int\(\s*["']PORT["']\s*,\s*(\d{2,5})`),
		"config/local.js":        portSetting("port", `(?m)^\s*port:\s*(?:process\.env\.PORT\s*\|\|\s*)?(\d{2,5})`),
		"conf/application.conf":  portSetting("http.port", `(?m)^\s*(?:play\.server\.)?http\.port\s*=\s*(\d{2,5})`),
		"_config.yml":            portSetting("port", `(?m)^port:\s*["']?(\d{2,5})`),
		"mkdocs.yml":             portSetting("dev_addr", `(?m)^dev_addr:\s*["']?[\w.]*:(\d{2,5})`),
		".streamlit/config.toml": tomlPort("server", "port"), "Rocket.toml": tomlPort("default", "port"), "Trunk.toml": tomlPort("serve", "port"),
		"wrangler.toml": tomlPort("dev", "port"), "wrangler.json": wranglerJSON, "wrangler.jsonc": wranglerJSON,
		"src-tauri/tauri.conf.json": tauriConf, "project/plugins.sbt": gradleFile,
		"src/main/resources/application.conf": portSetting("ktor.deployment.port", `(?m)^\s*port\s*=\s*(\d{2,5})`),
		".env":                                envFile, ".env.local": envFile, ".env.development": envFile, ".flaskenv": envFile,
	}
})

// A place is a reader of files that lie some folders below their project.
type place struct {
	pattern string
	levels  int
	read    manifestReader
}

// places returns the readers by the last part of the name, and by its extension if that part begins
// with a star.
func places() (byName, byExt map[string][]place) {
	byName, byExt = make(map[string][]place, len(readers())), map[string][]place{}
	for pattern, read := range readers() {
		p := place{pattern, strings.Count(pattern, "/"), read}
		if base := path.Base(pattern); base[0] == '*' {
			byExt[path.Ext(base)] = append(byExt[path.Ext(base)], p)
		} else {
			byName[base] = append(byName[base], p)
		}
	}
	return byName, byExt
}

// jsonObject reads a JSON object by its keys, so that one wrong value does not spoil the others. It
// leaves out comments and extra commas. If the file may not have them, there is also an error.
func jsonObject(data []byte, comments bool) (object map[string]json.RawMessage, err error) {
	if err := tooDeep(data); err != nil {
		return nil, err
	}
	if !comments {
		if err = json.Unmarshal(data, &object); err == nil {
			return object, nil
		}
	}
	if also := json.Unmarshal(jsonc.ToJSON(data), &object); also != nil {
		if err == nil {
			err = also
		}
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		return nil, err
	}
	if err != nil {
		err = fmt.Errorf("it has comments or extra commas, which JSON does not allow: %w", err)
	}
	return object, err
}

// text returns a value that is a string, "" for any other value.
func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s) // another value than a string does not count
	return s
}

// object returns a value that is an object, nil for any other value.
func object(raw json.RawMessage) (o map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &o) // another value than an object does not count
	return o
}

// list returns the strings of a value that is an array.
func list(raw json.RawMessage) (all []string) {
	var values []json.RawMessage
	_ = json.Unmarshal(raw, &values) // another value than an array has no strings
	for _, v := range values {
		if s := text(v); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// A member is a key of an object with its value.
type member struct {
	key   string
	value json.RawMessage
}

// inOrder returns the members of an object in the order of the file.
func inOrder(raw json.RawMessage) (members []member) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			break
		}
		if name, ok := key.(string); ok {
			members = append(members, member{name, value})
		}
	}
	return members
}

// tomlTable reads a TOML file.
func tomlTable(data []byte) (table map[string]any, err error) {
	if err := tooDeep(data); err != nil {
		return nil, err
	}
	if err := toml.Unmarshal(data, &table); err != nil {
		if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ := wrong.Position()
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		return nil, err
	}
	return table, nil
}

// yamlMap reads the first document of a YAML file.
func yamlMap(data []byte) (m map[string]any, err error) {
	if err := tooDeep(data); err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	return m, nil
}

// in follows keys into nested tables. It returns nil if there is no such value.
func in(table map[string]any, keys ...string) any {
	var value any = table
	for _, key := range keys {
		t, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = t[key]
	}
	return value
}

// textIn returns the text at keys, "" if there is none.
func textIn(table map[string]any, keys ...string) string {
	s, _ := in(table, keys...).(string)
	return s
}

// tableIn returns the table at keys, nil if there is none.
func tableIn(table map[string]any, keys ...string) map[string]any {
	t, _ := in(table, keys...).(map[string]any)
	return t
}

// textsIn returns the strings of the array at keys.
func textsIn(table map[string]any, keys ...string) (all []string) {
	values, _ := in(table, keys...).([]any)
	for _, v := range values {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// problem notes an error in a file.
func (d *detection) problem(name string, err error) {
	if err != nil {
		d.problems = append(d.problems, files.Problem{File: name, Reason: err.Error()})
	}
}
