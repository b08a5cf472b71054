package files

import (
	"slices"
	"strings"
)

// made are folders that tools make and fill in any project.
var made = []string{
	".angular", ".astro", ".build", ".cache", ".dart_tool", ".devtools", ".docusaurus", ".eggs", ".expo", ".git", ".gradle", ".hg",
	".idea", ".mypy_cache", ".next", ".nox", ".nuxt", ".nx", ".output", ".parcel-cache", ".pnpm-store", ".pytest_cache", ".ruff_cache",
	".serverless", ".svelte-kit", ".svn", ".terraform", ".tox", ".turbo", ".venv", ".vercel", ".wrangler", ".yarn", "DerivedData", "Pods",
	"__pycache__", "__pypackages__", "_build", "bower_components", "elm-stuff", "jspm_packages", "node_modules", "site-packages", "vendor",
	"venv", "zig-cache", "zig-out", ".zig-cache",
}

// outputs are folders that tools fill if a certain manifest lies beside them. Elsewhere people use
// the same names for sources.
var outputs = [...]struct {
	folder    string
	manifests []string
}{
	{"bin", []string{".csproj", ".fsproj", ".vbproj"}},
	{"build", []string{"build.gradle", "build.gradle.kts", "CMakeLists.txt", "package.json", "pubspec.yaml", "setup.py", "pyproject.toml", "meson.build"}},
	{"deps", []string{"mix.exs"}},
	{"dist", []string{"package.json", "pyproject.toml", "setup.py", "build.xml"}},
	{"obj", []string{".csproj", ".fsproj", ".vbproj"}},
	{"out", []string{"package.json", "build.gradle", "build.gradle.kts"}},
	{"target", []string{"Cargo.toml", "pom.xml", "build.sbt", "project.clj"}},
}

// Made reports whether a tool makes the folder of that name in f: installed packages, output or a
// cache. A Python virtual environment is one whatever its name.
func Made(f *Folder, name string) bool {
	if slices.Contains(made, name) {
		return true
	}
	for _, output := range outputs {
		if output.folder == name {
			return slices.ContainsFunc(output.manifests, func(manifest string) bool {
				return f.Has(manifest) || manifest[0] == '.' && slices.ContainsFunc(f.Files, func(file string) bool { return strings.HasSuffix(file, manifest) })
			})
		}
	}
	return false
}
