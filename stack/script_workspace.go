package stack

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"devtools/stack/line"
)

// mostPackages is the most packages of a workspace that are read.
const mostPackages = 60

// packagesOf returns the packages of the workspace that contains a folder, the root package last.
func (cl *classifier) packagesOf(dir string) []*taskFile {
	root, patterns := (*taskFile)(nil), []string(nil)
	cl.looked++
	if dir == "" || !cl.open() {
		return nil
	}
	for range mostLevels {
		if p := cl.packageAt(filepath.Join(dir, "package.json")); p != nil {
			root, patterns = p, p.workspaces()
		}
		if text := cl.text(filepath.Join(dir, "pnpm-workspace.yaml"), mostManifest); text != nil {
			settings, _ := yamlMap(text) // a file that cannot be read names no packages
			patterns = append(patterns, textsIn(settings, "packages")...)
		}
		if len(patterns) > 0 || dir == cl.top || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if root == nil {
		return nil
	}
	if found, ok := cl.packages[root.path]; ok {
		return found
	}
	var found []*taskFile
	base, err := filepath.Rel(cl.top, root.dir())
	if err != nil {
		return nil
	}
	for _, file := range cl.manifestsOf(filepath.ToSlash(base), patterns) {
		if len(found) < mostPackages {
			if p := cl.packageAt(filepath.Join(cl.top, filepath.FromSlash(file))); p != nil {
				found = append(found, p)
			}
		}
	}
	found = append(found, root)
	if cl.packages == nil {
		cl.packages = map[string][]*taskFile{}
	}
	cl.packages[root.path] = found
	return found
}

// manifestsOf returns the package.json files of the folders below base that match a pattern. Their
// paths begin at the top of the workspace.
func (cl *classifier) manifestsOf(base string, patterns []string) (names []string) {
	for _, pattern := range patterns {
		pattern = path.Join(base, strings.TrimPrefix(pattern, "./"))
		if cl.detection == nil {
			names = append(names, cl.reader.Glob(path.Join(strings.ReplaceAll(pattern, "**", "*"), "package.json"))...)
			continue
		}
		for _, b := range cl.detection.builders {
			if b.has("package.json") && matchFolders(strings.Split(pattern, "/"), strings.Split(b.path, "/")) {
				names = append(names, path.Join(b.path, "package.json"))
			}
		}
	}
	return names
}

// everywhere classifies a script of several packages of the workspace.
func (cl *classifier) everywhere(kind, name string, words []line.Word, in *invocation, at location) finding {
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
	packages := cl.packagesOf(at.dir)
	if len(packages) > 1 && filter == "" {
		packages = packages[:len(packages)-1]
	}
	var findings []finding
	for _, p := range packages {
		if p.get(name) != nil && cl.selected(p, filter) && !slices.Contains(cl.active, p.path+" "+name) {
			f := cl.packageScript(in.name, p, name, in.forwarded(words), at)
			if findings = append(findings, f); f.class == Server && f.confidence == High {
				break // the others change nothing
			}
		}
	}
	switch {
	case len(findings) > 0:
		f := all(findings)
		f.bounded, f.runs = "", nil // other projects run these
		return f
	case len(packages) > 0:
		return cl.guess(name, "no package of the workspace has such a script", at)
	}
	return cl.guess(name, "there is no package.json", at)
}

// selected reports whether a package fits the filter of a package manager.
func (cl *classifier) selected(p *taskFile, filter string) bool {
	filter = strings.Trim(filter, ".^{}[]/")
	if filter == "" || strings.HasPrefix(filter, "!") {
		return true
	}
	folder, err := filepath.Rel(cl.top, p.dir())
	if err != nil {
		return false
	}
	name := text(p.object["name"])
	for _, name := range []string{name, path.Base(name), filepath.ToSlash(folder), filepath.Base(folder)} {
		if ok, err := path.Match(filter, name); name == filter || err == nil && ok {
			return true
		}
	}
	return false
}
