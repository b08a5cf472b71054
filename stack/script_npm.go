package stack

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"devtools/stack/line"
)

// packageAt returns a package.json or a deno.json, nil if it cannot be read.
func (cl *classifier) packageAt(file string) *taskFile {
	if strings.HasPrefix(filepath.Base(file), "deno.json") {
		return cl.tasks(file, parseDeno)
	}
	return cl.tasks(file, parsePackage)
}

// workspaces returns the patterns of the folders of the packages of a workspace.
func (f *taskFile) workspaces() []string {
	if patterns := list(f.object["workspaces"]); patterns != nil {
		return patterns
	}
	return list(object(f.object["workspaces"])["packages"])
}

// npm classifies a script of package.json.
func (cl *classifier) npm(kind, name string, words []line.Word, in *invocation, args []line.Word, next int, at location) finding {
	switch name {
	case "t", "tst":
		name = "test"
	case "":
		return finding{class: Oneshot, confidence: Medium, reason: quoted(at.text) + " lists what there is to run"}
	}
	if f, ok := cl.npmElsewhere(kind, name, words, in, at); ok {
		return f
	}
	names := []string{"package.json"}
	if kind == "deno" {
		names = []string{"deno.json", "deno.jsonc", "package.json"}
	}
	file := cl.upward(at.dir, names...)
	p := cl.packageAt(file)
	switch {
	case p != nil && p.get(name) != nil:
		return cl.packageScript(in.name, p, name, in.forwarded(words), at)
	case kind == "bun" && (languageOf(name) != "" || strings.ContainsAny(name, "/")):
		return cl.entry("js", args, next, at)
	case kind != "deno" && in.name != "npm" && lookup(name) != nil: // a program of a package
		return cl.call(args, next, at, "")
	case p == nil:
		return cl.npmUnread(name, file, names[0], words, at)
	}
	return cl.npmBuiltIn(name, p, in, at)
}

// npmElsewhere classifies a script of other packages than that of the folder, if flags name such
// packages.
func (cl *classifier) npmElsewhere(kind, name string, words []line.Word, in *invocation, at location) (finding, bool) {
	if !slices.Contains([]string{"npm", "pnpm", "bun", "yarn", "vp"}, in.name) {
		return finding{}, false
	}
	if folder := in.value("--prefix", "-C", "--dir", "--cwd"); folder != "" {
		return cl.npmIn(within(at.dir, folder), kind, name, words, in, at), true
	}
	if in.value("-w", "--workspace", "--filter", "-F") != "" || in.has("-ws", "--workspaces", "-r", "--recursive") {
		return cl.everywhere("workspaces", name, words, in, at), true
	}
	return finding{}, false
}

// npmUnread classifies a script whose package.json is missing or cannot be read. file is "" if it is
// missing.
func (cl *classifier) npmUnread(name, file, manifest string, words []line.Word, at location) finding {
	switch {
	case file != "":
		why := cl.below(file) + " cannot be read"
		if err := cl.unread[file]; err != nil {
			why += ": " + err.Error()
		}
		return cl.guess(name, why, at)
	case slices.ContainsFunc(words, func(w line.Word) bool { return w.Text == "--watch" || w.Text == "-w" }):
		return byName(Watcher, at.text, "its flag --watch")
	}
	return cl.guess(name, "there is no "+manifest, at)
}

// npmBuiltIn classifies a script that the package does not have, but for which npm has a default.
func (cl *classifier) npmBuiltIn(name string, p *taskFile, in *invocation, at location) finding {
	switch {
	case name == "start" && in.name == "npm" && cl.text(filepath.Join(p.dir(), "server.js"), mostCode) != nil:
		return cl.followScript(p.path+" start", "node server.js", p.dir(), at)
	case name == "restart":
		return named(all([]finding{cl.packageScript(in.name, p, "stop", nil, at), cl.packageScript(in.name, p, "start", nil, at)}), name, at)
	}
	return unknown(quoted(at.text) + ": " + cl.below(p.path) + " has no script " + name)
}

// npmIn classifies a script of the package in another folder.
func (cl *classifier) npmIn(dir, kind, name string, words []line.Word, in *invocation, at location) finding {
	file := filepath.Join(dir, "package.json")
	if kind == "deno" || dir == "" {
		file = ""
	}
	p := cl.packageAt(file)
	if p == nil || p.get(name) == nil {
		return cl.guess(name, "there is no package.json with it in the folder that is named", at)
	}
	f := cl.packageScript(in.name, p, name, in.forwarded(words), at)
	f.bounded, f.runs = "", nil // another project runs it
	return f
}

// below returns the path of a file from the workspace's folder.
func (cl *classifier) below(file string) string {
	if name, err := filepath.Rel(cl.top, file); err == nil {
		return filepath.ToSlash(name)
	}
	return filepath.Base(file)
}

// forwarded returns the arguments that a script gets. Most package managers forward all of them. npm
// forwards no flags before a --.
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

// packageScript classifies a script of a package, with the scripts that run before and after it.
func (cl *classifier) packageScript(manager string, p *taskFile, name string, words []line.Word, at location) finding {
	var findings []finding
	if at.depth > mostScripts {
		return unknown("the script " + quoted(at.text) + " is too deep to follow")
	}
	text := ""
	for _, part := range []string{"pre" + name, name, "post" + name} {
		t := p.get(part)
		if t == nil {
			continue
		}
		if part == name && t.declared != "" {
			return finding{class: t.declared, confidence: High, reason: quoted(at.text) + " is declared to be a service in " + cl.below(p.path)}
		}
		for _, s := range t.steps {
			if s.task != "" {
				findings = append(findings, cl.packageScript(manager, p, s.task, nil, at.deeper()))
				continue
			}
			line := s.line
			if part == name {
				if text = line; len(words) > 0 {
					text += " " + render(nil, words)
				}
				line = text
			}
			f := cl.followScript(p.path+" "+part, line, p.dir(), at)
			if !p.hook(part) {
				f = named(f, part, at)
			} else if f.class == Unknown {
				f.class = Oneshot // the main script waits for it
			}
			findings = append(findings, f)
		}
	}
	if len(findings) == 0 {
		return unknown(quoted(at.text) + ": " + cl.below(p.path) + " has no script " + name)
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

// hook reports whether a script of a package runs before or after another one, by its name.
func (f *taskFile) hook(name string) bool {
	for _, when := range []string{"pre", "post"} {
		if other, ok := strings.CutPrefix(name, when); ok && f.get(other) != nil {
			return true
		}
	}
	return false
}

// packageRunner returns the command that executes a program of a package, "" if the package manager
// has none.
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

// npmScripts classifies the scripts in the arguments of run-p, run-s and npm-run-all.
func (cl *classifier) npmScripts(args []line.Word, at location) finding {
	p := cl.packageAt(cl.upward(at.dir, "package.json"))
	var findings []finding
	skip := false
	if dashes := slices.IndexFunc(args, func(w line.Word) bool { return w.Text == "--" }); dashes >= 0 {
		args = args[:dashes] // the rest is for the scripts
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
			findings = append(findings, cl.guess(words[0], "there is no package.json", at))
			continue
		}
		extra := asWords(words[1:])
		for _, name := range p.matching(words[0]) {
			findings = append(findings, cl.packageScript("npm", p, name, extra, at))
		}
	}
	if len(findings) == 0 {
		return unknown(quoted(at.text) + " names no script that is there")
	}
	if slices.ContainsFunc(args, func(w line.Word) bool { return w.Text == "--race" || w.Text == "-r" }) {
		return race(findings, at, false)
	}
	f := all(findings)
	f.bounded = ""
	return f
}

// matching returns the scripts that fit a pattern of npm-run-all.
func (f *taskFile) matching(pattern string) []string {
	if !strings.Contains(pattern, "*") {
		return []string{pattern}
	}
	var names []string
	slashes := strings.NewReplacer(":", "/")
	for _, t := range f.main().tasks {
		name := t.name
		deep := strings.Contains(pattern, "**") && strings.HasPrefix(name, pattern[:strings.Index(pattern, "**")])
		if ok, err := path.Match(slashes.Replace(pattern), slashes.Replace(name)); deep || err == nil && ok {
			names = append(names, name)
		}
	}
	return names
}

// scriptsLike returns the scripts that fit a pattern, in the package in which a line runs. The
// arguments follow each.
func (cl *classifier) scriptsLike(script string, at location) []string {
	pattern, rest, _ := strings.Cut(script, " ")
	if !strings.Contains(pattern, "*") {
		return []string{script}
	}
	p := cl.packageAt(cl.upward(at.dir, "package.json"))
	if p == nil {
		return []string{script}
	}
	var all []string
	for _, name := range p.matching(pattern) {
		all = append(all, strings.TrimSpace(name+" "+rest))
	}
	return all
}
