package stack

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"

	"devtools/ledger/regular"
	"devtools/stack/files"
)

// workspaceFiles are files whose name tells that there are projects below.
var workspaceFiles = []string{
	"pnpm-workspace.yaml", "go.work", "nx.json", "turbo.json", "rush.json", "lerna.json", "settings.gradle", "settings.gradle.kts",
	"melos.yaml", ".moon", "WORKSPACE", "MODULE.bazel",
}

// top returns the top of the workspace that contains the folder dir. That is the nearest
// [regular.Repository] at or above dir. If there is none, it is the highest folder that declares
// projects below it, otherwise the nearest with a manifest. top does not look at folders behind the
// end of [regular.Above], and at other file systems.
func top(dir, home string, manifest func(name string) bool) string {
	nearest, declared := "", ""
	device, _ := deviceOf(dir)
	for at, level := dir, 0; level < mostLevels; level++ {
		if regular.Repository(at) {
			return at
		}
		if nearest == "" && hasManifest(at, manifest) {
			nearest = at
		}
		if declares(at) {
			declared = at
		}
		above := regular.Above(at, home)
		if above == "" {
			break
		}
		if other, ok := deviceOf(above); ok && other != device {
			break
		}
		at = above
	}
	switch {
	case declared != "":
		return declared
	case nearest != "":
		return nearest
	}
	return dir
}

// repositories are folders of version control beside that of git.
var repositories = []string{".hg", ".jj", ".svn"}

// InProject reports whether the folder dir, or one above it, has version control or a manifest. It looks as far up as [regular.Above].
func InProject(dir, home string) bool {
	manifest := newIndex(Definitions()).manifest
	for at := dir; at != ""; at = regular.Above(at, home) {
		here := func(name string) bool { return exists(filepath.Join(at, name)) }
		if regular.Repository(at) || slices.ContainsFunc(repositories, here) || hasManifest(at, manifest) {
			return true
		}
	}
	return false
}

func hasManifest(dir string, manifest func(string) bool) bool {
	entries, _ := os.ReadDir(dir) // a folder that cannot be read has no entries
	for _, e := range entries {
		if !e.IsDir() && manifest(e.Name()) {
			return true
		}
	}
	return false
}

// declares reports whether the folder declares projects below it.
func declares(dir string) bool {
	for _, name := range workspaceFiles {
		if exists(filepath.Join(dir, name)) {
			return true
		}
	}
	reader, err := files.NewReader(dir)
	if err != nil {
		return false
	}
	defer func() { _ = reader.Close() }() // it was only read
	for name, key := range map[string]string{
		"package.json": `"workspaces"`, "Cargo.toml": "[workspace]", "pyproject.toml": "[tool.uv.workspace]", "deno.json": `"workspace"`,
	} {
		if data, _ := reader.Read(name); bytes.Contains(data, []byte(key)) {
			return true
		}
	}
	return false
}
