package stack

import (
	"encoding/json"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"
	"go.yaml.in/yaml/v3"

	"devtools/stack/line"
)

// A packageFile is what a package.json or a deno.json says of scripts.
type packageFile struct {
	path       string
	name       string
	scripts    map[string]string
	services   map[string]bool // those that are declared to keep running
	workspaces []string
	tasks      map[string]any // deno's
}

func (p *packageFile) dir() string { return filepath.Dir(p.path) }

// packageAt reads a package.json or deno.json, nil if it cannot be read.
func packageAt(file string, text []byte) *packageFile {
	var raw map[string]any
	if json.Unmarshal(text, &raw) != nil && json.Unmarshal(jsonc.ToJSON(text), &raw) != nil {
		return nil
	}
	p := &packageFile{path: file, scripts: map[string]string{}, services: map[string]bool{}}
	p.name, _ = raw["name"].(string)
	scripts, _ := raw["scripts"].(map[string]any)
	for name, value := range scripts {
		if text, ok := value.(string); ok {
			p.scripts[name] = text
		}
	}
	wireit, _ := raw["wireit"].(map[string]any)
	for name, value := range wireit {
		settings, _ := value.(map[string]any)
		if command, ok := settings["command"].(string); ok && p.scripts[name] == "wireit" {
			p.scripts[name] = command
		}
		if service := settings["service"]; service != nil && service != false {
			p.services[name] = true
		}
	}
	list := raw["workspaces"]
	if settings, ok := list.(map[string]any); ok {
		list = settings["packages"]
	}
	p.workspaces = texts(list)
	p.tasks, _ = raw["tasks"].(map[string]any)
	for name, value := range p.tasks {
		switch x := value.(type) {
		case string:
			p.scripts[name] = x
		case map[string]any:
			if command, ok := x["command"].(string); ok {
				p.scripts[name] = command
			}
		}
	}
	return p
}

// texts returns the strings of a list.
func texts(list any) []string {
	var all []string
	values, _ := list.([]any)
	for _, value := range values {
		if text, ok := value.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// packageOf finds the package that a folder belongs to; broken is a file that cannot be read as one.
func (j *judge) packageOf(dir string, names ...string) (p *packageFile, broken string) {
	file, text := j.upward(dir, names...)
	if file == "" {
		return nil, ""
	}
	if p = packageAt(file, text); p == nil {
		return nil, file
	}
	return p, ""
}

// npm classifies a script of package.json.
func (j *judge) npm(kind, name string, words []line.Word, in *invocation, args []line.Word, next int, at spot) finding {
	switch name {
	case "t", "tst":
		name = "test"
	case "":
		return finding{class: Oneshot, confidence: Medium, reason: quoted(at.text) + " lists what there is to run"}
	}
	if in.name == "npm" || in.name == "pnpm" || in.name == "bun" || in.name == "yarn" {
		at.dir = within(at.dir, in.value("--prefix", "-C", "--dir", "--cwd"))
		if in.value("-w", "--workspace", "--filter", "-F") != "" || in.has("-ws", "--workspaces", "-r", "--recursive") {
			return j.everywhere("workspaces", name, words, in, at)
		}
	}
	files := []string{"package.json"}
	if kind == "deno" {
		files = []string{"deno.json", "deno.jsonc", "package.json"}
	}
	p, broken := j.packageOf(at.dir, files...)
	switch {
	case p != nil && p.has(name):
		return j.packageScript(in.name, p, name, in.forwarded(words), at)
	case kind == "bun" && (languageOf(name) != "" || strings.ContainsAny(name, "/")):
		return j.entry("js", args, next, at)
	case kind != "deno" && in.name != "npm" && lookup(name) != nil: // a program of a package
		return j.call(args, next, at, "")
	case broken != "":
		return j.guess(name, j.below(broken)+" cannot be read", at)
	case p == nil && slices.ContainsFunc(words, func(w line.Word) bool { return w.Text == "--watch" || w.Text == "-w" }):
		return byName(Watcher, at.text, "its flag --watch")
	case p == nil:
		return j.guess(name, "there is no "+files[0], at)
	case name == "start" && in.name == "npm" && j.read(filepath.Join(p.dir(), "server.js"), mostCode) != nil:
		return j.follow(p.path+" start", "node server.js", p.dir(), at)
	case name == "restart":
		return named(all([]finding{j.packageScript(in.name, p, "stop", nil, at), j.packageScript(in.name, p, "start", nil, at)}), name, at)
	}
	return unknown(quoted(at.text) + ": " + j.below(p.path) + " has no script " + name)
}

// below names a file as it is seen from the workspace's folder.
func (j *judge) below(file string) string {
	if name, err := filepath.Rel(j.top, file); err == nil {
		return filepath.ToSlash(name)
	}
	return filepath.Base(file)
}

func (p *packageFile) has(name string) bool { return p.scripts[name] != "" || p.tasks[name] != nil }

// forwarded returns the arguments that a script gets: all for most package managers, for npm no flags before a --.
func (in *invocation) forwarded(words []line.Word) []line.Word {
	var all []line.Word
	for i := 0; i < len(words); i++ {
		switch text := words[i].Text; {
		case text == "--":
			return append(all, words[i+1:]...)
		case in.name == "npm" && strings.HasPrefix(text, "-"):
			if slices.Contains(in.values, text) {
				i++
			}
		default:
			all = append(all, words[i])
		}
	}
	return all
}

// packageScript classifies a script of a package with what runs before and after it.
func (j *judge) packageScript(manager string, p *packageFile, name string, words []line.Word, at spot) finding {
	if p.services[name] {
		return finding{class: Server, confidence: High, reason: quoted(at.text) + " is declared to be a service by wireit in " + j.below(p.path)}
	}
	var findings []finding
	text := p.scripts[name]
	if len(words) > 0 {
		text += " " + render(nil, words)
	}
	for _, part := range []struct{ name, text string }{{"pre" + name, p.scripts["pre"+name]}, {name, text}, {"post" + name, p.scripts["post"+name]}} {
		if part.text == "" {
			continue
		}
		f := named(j.follow(p.path+" "+part.name, part.text, p.dir(), at), part.name, at)
		if part.name != name && f.class == Unknown {
			f.class = Oneshot // the others wait for it
		}
		findings = append(findings, f)
	}
	if task, ok := p.tasks[name].(map[string]any); ok {
		for _, other := range texts(task["dependencies"]) {
			findings = append(findings, j.packageScript(manager, p, other, nil, at))
		}
	}
	if len(findings) == 0 {
		return unknown(quoted(at.text) + ": " + j.below(p.path) + " has no script " + name)
	}
	f := all(findings)
	switch runner := packageRunner(manager); {
	case f.variable && f.bounded != "":
		variable, _, _ := strings.Cut(f.bounded, " ")
		f.bounded = variable + " " + at.text
	case runner == "" || len(findings) > 1 || strings.ContainsAny(text, "&|;\n<>$=("):
		f.bounded = ""
	case f.bounded != "":
		f.bounded = runner + " " + f.bounded
	}
	return f
}

// packageRunner returns what executes a program of a package, "" where the package manager has none.
func packageRunner(manager string) string {
	switch manager {
	case "npm":
		return "npx"
	case "pnpm":
		return "pnpm exec"
	case "yarn":
		return "yarn run"
	case "bun":
		return "bunx"
	}
	return ""
}

// npmScripts classifies the scripts that run-p, run-s and npm-run-all are given.
func (j *judge) npmScripts(args []line.Word, at spot) finding {
	p, _ := j.packageOf(at.dir, "package.json")
	var findings []finding
	skip := false
	if dashes := slices.IndexFunc(args, func(w line.Word) bool { return w.Text == "--" }); dashes >= 0 {
		args = args[:dashes] // what follows is for the scripts
	}
	for _, arg := range args {
		words := strings.Fields(arg.Text)
		switch {
		case skip:
			skip = false
			continue
		case arg.Text == "--max-parallel" || arg.Text == "--npm-path":
			skip = true
			continue
		case len(words) == 0 || strings.HasPrefix(words[0], "-"):
			continue
		}
		if p == nil {
			findings = append(findings, j.guess(words[0], "there is no package.json", at))
			continue
		}
		extra := asWords(words[1:])
		for _, name := range p.matching(words[0]) {
			findings = append(findings, j.packageScript("npm", p, name, extra, at))
		}
	}
	if len(findings) == 0 {
		return unknown(quoted(at.text) + " names no script that is there")
	}
	f := all(findings)
	f.bounded = ""
	return f
}

// matching returns the scripts that a pattern of npm-run-all names.
func (p *packageFile) matching(pattern string) []string {
	if !strings.Contains(pattern, "*") {
		return []string{pattern}
	}
	var names []string
	slashes := strings.NewReplacer(":", "/")
	for name := range p.scripts {
		deep := strings.Contains(pattern, "**") && strings.HasPrefix(name, pattern[:strings.Index(pattern, "**")])
		if ok, err := path.Match(slashes.Replace(pattern), slashes.Replace(name)); deep || err == nil && ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// mostPackages bounds the packages of a workspace that are looked at.
const mostPackages = 60

// packages returns the packages of the workspace that a folder belongs to, the root package last.
func (j *judge) packages(dir string) []*packageFile {
	root, patterns := (*packageFile)(nil), []string(nil)
	for range mostLevels {
		if text := j.read(filepath.Join(dir, "package.json"), mostManifest); text != nil {
			if p := packageAt(filepath.Join(dir, "package.json"), text); p != nil {
				root, patterns = p, p.workspaces
			}
		}
		if text := j.read(filepath.Join(dir, "pnpm-workspace.yaml"), mostManifest); text != nil {
			var settings struct{ Packages []string }
			if yaml.Unmarshal(text, &settings) == nil {
				patterns = append(patterns, settings.Packages...)
			}
		}
		if len(patterns) > 0 || dir == j.top || dir == filepath.Dir(dir) || dir == "" {
			break
		}
		dir = filepath.Dir(dir)
	}
	if j.root == nil || root == nil {
		return nil
	}
	var found []*packageFile
	base, err := filepath.Rel(j.top, root.dir())
	if err != nil {
		return nil
	}
	for _, pattern := range patterns {
		pattern = strings.ReplaceAll(strings.TrimPrefix(pattern, "./"), "**", "*")
		matches, err := fs.Glob(j.root.FS(), path.Join(filepath.ToSlash(base), pattern, "package.json"))
		if err != nil {
			continue
		}
		for _, match := range matches {
			file := filepath.Join(j.top, filepath.FromSlash(match))
			if text := j.read(file, mostManifest); text != nil && len(found) < mostPackages {
				if p := packageAt(file, text); p != nil {
					found = append(found, p)
				}
			}
		}
	}
	return append(found, root)
}

// everywhere classifies a script of several packages of the workspace.
func (j *judge) everywhere(kind, name string, words []line.Word, in *invocation, at spot) finding {
	filter := in.value("-w", "--workspace", "--filter", "-F", "--scope", "--include", "--from")
	switch {
	case kind == "yarn-workspace" && len(words) > 0:
		filter, name, words = name, words[0].Text, words[1:]
		if name == "run" && len(words) > 0 {
			name, words = words[0].Text, words[1:]
		}
	case kind == "yarn-foreach":
		for name == "run" && len(words) > 0 {
			name, words = words[0].Text, words[1:]
		}
	}
	packages := j.packages(at.dir)
	if len(packages) > 1 && filter == "" {
		packages = packages[:len(packages)-1]
	}
	var findings []finding
	for _, p := range packages {
		if p.has(name) && j.selected(p, filter) {
			findings = append(findings, j.packageScript(in.name, p, name, in.forwarded(words), at))
		}
	}
	switch {
	case len(findings) > 0:
		f := all(findings)
		f.bounded = ""
		return f
	case len(packages) > 0:
		return j.guess(name, "no package of the workspace has such a script", at)
	}
	return j.guess(name, "there is no package.json", at)
}

// selected reports whether a filter of a package manager names a package.
func (j *judge) selected(p *packageFile, filter string) bool {
	filter = strings.Trim(filter, ".^{}[]/")
	if filter == "" || strings.HasPrefix(filter, "!") {
		return true
	}
	folder, err := filepath.Rel(j.top, p.dir())
	if err != nil {
		return false
	}
	for _, name := range []string{p.name, path.Base(p.name), filepath.ToSlash(folder), filepath.Base(folder)} {
		if ok, err := path.Match(filter, name); name == filter || err == nil && ok {
			return true
		}
	}
	return false
}
