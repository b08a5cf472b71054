package stack

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"strings"

	"devtools/stack/files"
)

// programsOf returns the programs of a tool: most have the name of the tool.
func programsOf(tool string) []string {
	switch tool {
	case "python":
		return []string{"python3", "python"}
	case "rust":
		return []string{"rustc", "cargo"}
	case "nodejs":
		return []string{"node"}
	case "bazel":
		return []string{"bazel", "bazelisk"}
	case "vscode":
		return nil
	}
	return []string{tool}
}

// findTools finds the tools that the project, or a folder above it, asks for.
func (b *builder) findTools() {
	tools := b.project.Toolchain
	sortBy(tools, func(x, y Tool) int {
		return cmp.Or(cmp.Compare(x.Tool, y.Tool), compareEvidence(x.Evidence, y.Evidence), cmp.Compare(x.Wanted, y.Wanted))
	})
	if b.d.Look == nil {
		return
	}
	for i := range tools {
		for _, name := range programsOf(tools[i].Tool) {
			if program, ok := b.d.Look(name); ok {
				tools[i].Path, tools[i].Installed = program, installedVersion(tools[i].Tool, program)
				break
			}
		}
	}
}

var (
	nodeHeader   = expression{text: `(?m)^#define NODE_(?:MAJOR|MINOR|PATCH)_VERSION (\d+)`}
	javaRelease  = expression{text: `(?m)^JAVA_VERSION="([^"]+)"`}
	versionInDir = expression{text: `(?:^|[/\\@-])v?(\d+\.\d+(?:\.\d+)?)(?:[/\\]|$)`}
	pythonName   = expression{text: `^python(\d+\.\d+)(?:\.exe)?$`}
)

// installedVersion returns the version of a program by the files beside it, "" if they do not tell.
func installedVersion(tool, program string) string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	home := filepath.Dir(filepath.Dir(real))
	reader, err := files.NewReader(home)
	if err != nil {
		return ""
	}
	defer func() { _ = reader.Close() }() // it was only read
	read := func(name string) string {
		data, err := reader.Read(name)
		if err != nil {
			return ""
		}
		return string(data)
	}
	switch tool {
	case "go":
		first, _, _ := strings.Cut(read("VERSION"), "\n")
		return strings.TrimPrefix(strings.TrimSpace(first), "go")
	case "node":
		if m := nodeHeader.get().FindAllStringSubmatch(read("include/node/node_version.h"), 3); len(m) == 3 {
			return m[0][1] + "." + m[1][1] + "." + m[2][1]
		}
	case "java":
		if m := javaRelease.get().FindStringSubmatch(read("release")); m != nil {
			return m[1]
		}
	case "python":
		if m := pythonName.get().FindStringSubmatch(filepath.Base(real)); m != nil {
			return m[1]
		}
	case "npm", "pnpm", "yarn":
		if o, _ := jsonObject([]byte(read("package.json")), false); text(o["name"]) == tool {
			return text(o["version"])
		}
	}
	if m := versionInDir.get().FindStringSubmatch(home); m != nil {
		return m[1]
	}
	return ""
}

// version finds the version of a stack: the installed one, otherwise the locked or the requested
// one.
func (b *builder) version(f *Found) {
	for _, registry := range []string{"npm", "pypi", "rubygems", "packagist", "hex", "cpan", "cargo", "go", "maven", "pub", "nuget", "deno"} {
		for _, name := range f.def.Deps[registry] {
			if prefix, ok := strings.CutSuffix(name, "*"); ok {
				name = b.versioned(registry, prefix)
			}
			dep, ok := b.deps[registry+" "+name]
			if !ok {
				continue
			}
			f.Version = dep.version
			if registry == "npm" {
				if v := b.installedPackage(name); v != "" {
					f.Version, f.Installed = v, true
					return
				}
			}
			if f.def.weight() >= weightOf("bundler") || f.ID == b.project.MainStack { // lock files are long to read
				if v := b.locked(registry, name); v != "" {
					f.Version = v
				}
			}
			return
		}
	}
	if language := f.ID; f.Kind == "language" {
		for _, t := range b.project.Toolchain {
			if t.Tool == language && f.Version == "" {
				f.Version = t.Wanted
			}
		}
	}
}

// versioned returns the first dependency of a registry whose name has the prefix and that has a
// version.
func (b *builder) versioned(registry, prefix string) (first string) {
	for key, dep := range b.deps {
		name, ok := strings.CutPrefix(key, registry+" ")
		if ok && strings.HasPrefix(name, prefix) && dep.version != "" && dep.version[0] != '$' && (first == "" || name < first) {
			first = name
		}
	}
	return first
}

// installedPackage returns the version of an npm package in the nearest node_modules.
func (b *builder) installedPackage(name string) string {
	for at := b.path; ; at = path.Dir(at) {
		manifest := path.Join(at, "node_modules", name, "package.json")
		if _, err := os.Lstat(filepath.Join(b.d.root, filepath.FromSlash(manifest))); err == nil {
			data, err := b.d.reader.Read(manifest)
			if err != nil {
				return ""
			}
			o, _ := jsonObject(data, false)
			return text(o["version"])
		}
		if at == "." {
			return ""
		}
	}
}
