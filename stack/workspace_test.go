package stack

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"devtools/stack/files"
)

// Each kind of declaration makes a project a member, and nothing else does.
func TestMembers(t *testing.T) {
	for _, test := range []struct {
		kind, file, text string
		member, manifest string
		stranger         string
	}{
		{"npm", "package.json", `{"workspaces": ["apps/*", "!apps/old"]}`, "apps/web", "package.json", "apps/old"},
		{"npm", "package.json", `{"workspaces": {"packages": ["apps/**"]}}`, "apps/a/b", "package.json", "other"},
		{"pnpm", "pnpm-workspace.yaml", "packages:\n  - apps/*\n", "apps/web", "package.json", "apps/a/b"},
		{"lerna", "lerna.json", `{"packages": ["packages/*"]}`, "packages/a", "package.json", "b"},
		{"rush", "rush.json", "// c\n" + `{"projects": [{"packageName": "a", "projectFolder": "apps/a"}]}`, "apps/a", "package.json", "apps/b"},
		{"cargo", "Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n", "crates/a", "Cargo.toml", "b"},
		{"go", "go.work", "go 1.23\n\nuse (\n\t./a\n)\n", "a", "go.mod", "b"},
		{"uv", "pyproject.toml", "[tool.uv.workspace]\nmembers = [\"packages/*\"]\n", "packages/a", "pyproject.toml", "b"},
		{"gradle", "settings.gradle.kts", "include(\":app\", \":lib:core\")\n", "lib/core", "build.gradle.kts", "other"},
		{"maven", "pom.xml", "<project><modules><module>core</module></modules></project>", "core", "pom.xml", "other"},
		{"dotnet", "All.sln", `Project("{F}") = "Web", "src\Web\Web.csproj", "{A}"`, "src/Web", "Web.csproj", "src/Other"},
		{"deno", "deno.json", `{"workspace": ["./a"]}`, "a", "deno.json", "b"},
		{"mix", "mix.exs", "def project do\n[apps_path: \"apps\"]\nend", "apps/a", "mix.exs", "b"},
		{"pub", "pubspec.yaml", "name: all\nworkspace: [pkgs/a]\n", "pkgs/a", "pubspec.yaml", "pkgs/b"},
	} {
		t.Run(test.kind, func(t *testing.T) {
			content := map[string]string{
				"package.json": `{"name": "x"}`, "go.mod": "module x\n", "Cargo.toml": "[package]\nname = \"x\"\n", "pom.xml": "<project/>",
				"deno.json": "{}",
			}[test.manifest]
			tree := map[string]string{
				test.file: test.text, test.member + "/" + test.manifest: content, test.stranger + "/" + test.manifest: content,
			}
			dir := layOut(t, tree, sorted(tree))
			for _, asked := range []string{dir, filepath.Join(dir, filepath.FromSlash(test.member))} {
				r := detect(t, asked)
				i := slices.IndexFunc(r.Projects, func(p Project) bool { return p.Path == test.member })
				if i < 0 || r.Projects[i].Workspace == nil || r.Projects[i].Workspace.Kind != test.kind || r.Projects[i].Workspace.Path != "." {
					t.Fatalf("from %s: %s is no member: %+v", asked, test.member, r.Projects)
				}
			}
			r := detect(t, filepath.Join(dir, filepath.FromSlash(test.stranger)))
			if len(r.Projects) != 1 || r.Projects[0].Workspace != nil {
				t.Errorf("%s is a member: %+v", test.stranger, r.Projects)
			}
		})
	}
}

// The package manager is that of the workspace's top, seen from any folder. Several are a conflict.
func TestManagerIsLookedForAbove(t *testing.T) {
	tree := map[string]string{
		"package.json":          `{"workspaces": ["apps/*"], "packageManager": "pnpm@9.1.0"}`,
		"apps/web/package.json": `{"name": "web", "scripts": {"dev": "next dev"}, "dependencies": {"next": "15"}}`,
		"apps/own/package.json": `{"name": "own"}`,
		"apps/own/yarn.lock":    "", "apps/own/package-lock.json": "",
	}
	dir := layOut(t, tree, sorted(tree))
	web := detect(t, filepath.Join(dir, "apps", "web")).Projects[0]
	if web.PackageManager.Name != "pnpm" || web.PackageManager.Version != "9.1.0" || web.DevCommand.Argv[0] != "pnpm" {
		t.Errorf("web: %+v", web.PackageManager)
	}
	own := detect(t, filepath.Join(dir, "apps", "own")).Projects[0].PackageManager
	if own.Name != "yarn" || !own.Conflict || !slices.Equal(own.Others, []string{"npm"}) {
		t.Errorf("own: %+v", own)
	}
}

// A folder without a manifest belongs to the project above it; .git may be a file, as in a worktree.
func TestFolderOfProject(t *testing.T) {
	tree := map[string]string{"a/.git": "gitdir: ../.git", "a/go.mod": "module a\n", "a/internal/deep/x.go": ""}
	dir := layOut(t, tree, sorted(tree))
	r := detect(t, filepath.Join(dir, "a", "internal", "deep"))
	if filepath.Base(r.ProjectRoot) != "a" || r.Folder != r.ProjectRoot || r.MainStack != "go" {
		t.Errorf("root %s, folder %s, main %s", r.ProjectRoot, r.Folder, r.MainStack)
	}
}

// Folders of tools are left out. Folders of people with the same names are not.
func TestMadeFoldersAreLeftOut(t *testing.T) {
	tree := map[string]string{
		"package.json": `{"name": "a"}`, "node_modules/x/package.json": `{"name": "x"}`, "dist/package.json": `{"name": "d"}`,
		"vendor/y/go.mod": "module y", "testdata/z/go.mod": "module z", "packages/build/package.json": `{"name": "build"}`,
		"esm/package.json": `{"type": "module"}`,
	}
	var paths []string
	for _, p := range detect(t, layOut(t, tree, sorted(tree))).Projects {
		paths = append(paths, p.Path)
	}
	if want := []string{".", "packages/build"}; !slices.Equal(paths, want) {
		t.Errorf("projects %q, there are %q", paths, want)
	}
}

// A folder that git ignores is not a project, unless git tracks it all the same. Ignored settings
// and lock files tell about the project that they lie in.
func TestIgnoredIsLeftOut(t *testing.T) {
	tree := map[string]string{
		".gitignore": "/ours/\n*.gen\n.env\npnpm-lock.yaml\ngo.mod\n", ".devtoolsignore": "/examples/\n",
		"package.json": `{"name": "a", "scripts": {"dev": "node server.js"}, "dependencies": {"express": "5"}}`, ".env": "PORT=4567\n", "pnpm-lock.yaml": "",
		"ours/package.json": `{"name": "b"}`, "examples/x/package.json": `{"name": "x"}`, "c/go.mod": "module c\n", "d/Cargo.toml": "[package]\nname = \"d\"\n",
		"e/.gitignore": "!go.mod\n", "e/go.mod": "module e\n",
	}
	dir := layOut(t, tree, sorted(tree))
	paths := func() (all []string) {
		for _, p := range detect(t, dir).Projects {
			all = append(all, p.Path)
		}
		return all
	}
	if got, want := paths(), []string{".", "d", "e"}; !slices.Equal(got, want) {
		t.Errorf("projects %q, want %q", got, want)
	}
	p := detect(t, dir).Projects[0]
	if p.PackageManager.Name != "pnpm" || len(p.Ports) == 0 || p.Ports[0].Port != 4567 {
		t.Errorf("%+v, ports %+v", p.PackageManager, p.Ports)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git to track files with")
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-f", "ours/package.json", "c/go.mod", "examples"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	if got, want := paths(), []string{".", "c", "d", "e", "ours"}; !slices.Equal(got, want) {
		t.Errorf("with tracked manifests %q, want %q", got, want)
	}
}

func TestLimits(t *testing.T) {
	tree := map[string]string{}
	for _, folder := range []string{"a", "b", "c"} {
		tree[folder+"/go.mod"] = "module x\n"
		tree[folder+"/"+strings.Repeat("d/", 10)+"go.mod"] = "module deep\n"
	}
	dir := layOut(t, tree, sorted(tree))
	for _, test := range []struct {
		limits   files.Limits
		projects int
		cut      bool
	}{
		{files.Limits{Files: 100, Depth: 20}, 6, false},
		{files.Limits{Files: 100, Depth: 5}, 3, true},
		{files.Limits{Files: 2, Depth: 20}, 2, true},
	} {
		r, err := Detect(t.Context(), Options{Dir: dir, Limits: test.limits})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Projects) != test.projects || r.Truncated != test.cut {
			t.Errorf("%+v: %d projects, cut %t", test.limits, len(r.Projects), r.Truncated)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Detect(ended, Options{Dir: dir}); err == nil {
		t.Error("it goes on when nobody waits for it")
	}
	if _, err := Detect(t.Context(), Options{Dir: filepath.Join(dir, "none")}); !os.IsNotExist(err) {
		t.Errorf("no folder: %v", err)
	}
}

// A lock file that was written long after the others decides the package manager. Lock files of one
// age do not.
func TestNewestLockDecides(t *testing.T) {
	files := map[string]string{"package.json": `{"name": "a"}`, "pnpm-lock.yaml": "", "package-lock.json": ""}
	dir := layOut(t, files, sorted(files))
	manager := func() *Manager { return detect(t, dir).Projects[0].PackageManager }
	if m := manager(); m.Name != "pnpm" || !m.Conflict || !slices.Equal(m.Others, []string{"npm"}) {
		t.Errorf("of one age: %+v", m)
	}
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "pnpm-lock.yaml"), old, old); err != nil {
		t.Fatal(err)
	}
	if m := manager(); m.Name != "npm" || !m.Conflict || !slices.Equal(m.Others, []string{"pnpm"}) {
		t.Errorf("npm's is newer: %+v", m)
	}
}

// The main stack is not sure if others are as good.
func TestMainConfidence(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"vite high":      {"package.json": `{"scripts": {"dev": "vite"}, "devDependencies": {"vite": "6"}}`},
		"express medium": {"package.json": `{"dependencies": {"express": "4", "fastify": "5"}}`},
		"nextjs medium":  {"a/package.json": `{"dependencies": {"next": "15"}}`, "b/package.json": `{"dependencies": {"express": "4"}}`},
		"nextjs high":    {"a/package.json": `{"dependencies": {"next": "15"}}`, "b/package.json": `{"dependencies": {"next": "15"}}`},
		"node medium":    {"package.json": `{"workspaces": ["x/*"]}`, "x/a/package.json": `{"dependencies": {"express": "4"}}`},
		"php medium":     {"index.php": "<?php"},
	} {
		if r := detect(t, layOut(t, files, sorted(files))); r.MainStack+" "+r.MainConfidence != want {
			t.Errorf("found %s %s, wanted %s", r.MainStack, r.MainConfidence, want)
		}
	}
}
