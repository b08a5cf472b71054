package stack

import (
	"path/filepath"
	"testing"
)

func TestUninstalled(t *testing.T) {
	wants := `{"workspaces": ["a"], "dependencies": {"vite": "7"}}`
	for _, test := range []struct {
		name            string
		tree            map[string]string
		folder          string
		command, within string
	}{
		{name: "npm", tree: map[string]string{"package.json": wants}, command: "npm install", within: "."},
		{
			name: "a member of a workspace", folder: "a", command: "pnpm install", within: ".",
			tree: map[string]string{"package.json": wants, "pnpm-lock.yaml": "", "pnpm-workspace.yaml": "packages: [a]\n", "a/package.json": wants},
		},
		{name: "yarn", tree: map[string]string{"package.json": wants, "yarn.lock": ""}, command: "yarn install", within: "."},
		{name: "bun", tree: map[string]string{"package.json": wants, "bun.lock": "{}"}, command: "bun install", within: "."},
		{name: "Plug'n'Play", tree: map[string]string{"package.json": wants, "yarn.lock": "", ".pnp.cjs": ""}},
		{name: "installed", tree: map[string]string{"package.json": wants, "node_modules/vite/package.json": "{}"}},
		{
			name: "installed above", folder: "a",
			tree: map[string]string{"package.json": wants, "a/package.json": wants, "node_modules/vite/package.json": "{}"},
		},
		{name: "nothing to install", tree: map[string]string{"package.json": "{}", "package-lock.json": "{}"}},
		{name: "deno", tree: map[string]string{"deno.json": "{}"}},
		{name: "Python", tree: map[string]string{"pyproject.toml": "[project]\ndependencies = ['flask']\n"}},
	} {
		dir := layOut(t, test.tree, sorted(test.tree))
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		command, within := detect(t, dir).Uninstalled(filepath.Join(dir, test.folder))
		want := ""
		if test.within != "" {
			want = filepath.Join(dir, test.within)
		}
		if command != test.command || within != want {
			t.Errorf("%s: %q in %q, want %q in %q", test.name, command, within, test.command, want)
		}
	}
}
