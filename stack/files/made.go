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
var outputs = map[string][]string{
	"bin":    {".csproj", ".fsproj", ".vbproj"},
	"build":  {"build.gradle", "build.gradle.kts", "CMakeLists.txt", "package.json", "pubspec.yaml", "setup.py", "pyproject.toml", "meson.build"},
	"deps":   {"mix.exs"},
	"dist":   {"package.json", "pyproject.toml", "setup.py", "build.xml"},
	"obj":    {".csproj", ".fsproj", ".vbproj"},
	"out":    {"package.json", "build.gradle", "build.gradle.kts"},
	"target": {"Cargo.toml", "pom.xml", "build.sbt", "project.clj"},
}

// Made reports whether a tool makes the folder of that name in f: installed packages, output or a
// cache. A Python virtual environment is one whatever its name.
func Made(f *Folder, name string) bool {
	if slices.Contains(made, name) {
		return true
	}
	for _, manifest := range outputs[name] {
		if f.Has(manifest) || manifest[0] == '.' && slices.ContainsFunc(f.Files, func(file string) bool { return strings.HasSuffix(file, manifest) }) {
			return true
		}
	}
	return false
}
