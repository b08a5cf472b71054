package stack

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"devtools/stack/files"
)

// RunsNode reports whether a command calls Node.js, Bun or one of their package managers.
func RunsNode(argv []string) bool {
	return slices.ContainsFunc(strings.Fields(strings.Join(argv, " ")), func(word string) bool {
		return slices.Contains([]string{"node", "npm", "npx", "pnpm", "yarn", "bun", "bunx"}, programName(word))
	})
}

// Uninstalled returns the command that installs the packages of the project that contains the
// folder, and the folder to call it in. Both are "" unless the project is one of Node.js that
// depends on packages, and none are installed.
func (r *Report) Uninstalled(folder string) (command, dir string) {
	p := r.owner(folder)
	if p == nil || !p.dependsOnPackages() {
		return "", ""
	}
	i := slices.IndexFunc(p.PackageManagers, func(m Manager) bool { return m.Ecosystem == "npm" })
	if i < 0 || !slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, p.PackageManagers[i].Name) {
		return "", ""
	}
	for at := p.Root; ; at = filepath.Dir(at) {
		for _, name := range []string{"node_modules", ".pnp.cjs", ".pnp.js"} {
			if _, err := os.Lstat(filepath.Join(at, name)); err == nil {
				return "", ""
			}
		}
		if at == r.ProjectRoot || at == filepath.Dir(at) {
			break
		}
	}
	m := p.PackageManagers[i]
	return m.Name + " install", filepath.Join(r.ProjectRoot, filepath.FromSlash(path.Dir(m.Evidence[0].File)))
}

// dependsOnPackages reports whether the project's package.json has dependencies.
func (p *Project) dependsOnPackages() bool {
	reader, err := files.NewReader(p.Root)
	if err != nil {
		return false
	}
	defer func() { _ = reader.Close() }() // it was only read
	data, err := reader.Read("package.json")
	var wants struct{ Dependencies, DevDependencies map[string]any }
	return err == nil && json.Unmarshal(data, &wants) == nil && len(wants.Dependencies)+len(wants.DevDependencies) > 0
}
