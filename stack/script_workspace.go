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
func (j *judge) packagesOf(dir string) []*taskFile {
	root, patterns := (*taskFile)(nil), []string(nil)
	j.looked++
	if dir == "" || !j.open() {
		return nil
	}
	for range mostLevels {
		if p := j.packageAt(filepath.Join(dir, "package.json")); p != nil {
			root, patterns = p, p.workspaces()
		}
		if text := j.text(filepath.Join(dir, "pnpm-workspace.yaml"), mostManifest); text != nil {
			settings, _ := yamlMap(text) // a file that cannot be read names no packages
			patterns = append(patterns, textsIn(settings, "packages")...)
		}
		if len(patterns) > 0 || dir == j.top || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if root == nil {
		return nil
	}
	if found, ok := j.packages[root.path]; ok {
		return found
	}
	var found []*taskFile
	base, err := filepath.Rel(j.top, root.dir())
	if err != nil {
		return nil
	}
	for _, file := range j.manifestsOf(filepath.ToSlash(base), patterns) {
		if len(found) < mostPackages {
			if p := j.packageAt(filepath.Join(j.top, filepath.FromSlash(file))); p != nil {
				found = append(found, p)
			}
		}
	}
	found = append(found, root)
	if j.packages == nil {
		j.packages = map[string][]*taskFile{}
	}
	j.packages[root.path] = found
	return found
}

// manifestsOf returns the package.json files of the folders below base that match a pattern. Their
// paths begin at the top of the workspace.
func (j *judge) manifestsOf(base string, patterns []string) (names []string) {
	for _, pattern := range patterns {
		pattern = path.Join(base, strings.TrimPrefix(pattern, "./"))
		if j.detection == nil {
			names = append(names, j.reader.Glob(path.Join(strings.ReplaceAll(pattern, "**", "*"), "package.json"))...)
			continue
		}
		for _, b := range j.detection.builders {
			if b.has("package.json") && matchFolders(strings.Split(pattern, "/"), strings.Split(b.path, "/")) {
				names = append(names, path.Join(b.path, "package.json"))
			}
		}
	}
	return names
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
	packages := j.packagesOf(at.dir)
	if len(packages) > 1 && filter == "" {
		packages = packages[:len(packages)-1]
	}
	var findings []finding
	for _, p := range packages {
		if p.get(name) != nil && j.selected(p, filter) && !slices.Contains(j.active, p.path+" "+name) {
			f := j.packageScript(in.name, p, name, in.forwarded(words), at)
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
		return j.guess(name, "no package of the workspace has such a script", at)
	}
	return j.guess(name, "there is no package.json", at)
}

// selected reports whether a package fits the filter of a package manager.
func (j *judge) selected(p *taskFile, filter string) bool {
	filter = strings.Trim(filter, ".^{}[]/")
	if filter == "" || strings.HasPrefix(filter, "!") {
		return true
	}
	folder, err := filepath.Rel(j.top, p.dir())
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
