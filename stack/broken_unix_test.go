//go:build unix

package stack

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A broken file is a problem of its own, and the rest is found all the same. Reading never waits.
func TestBrokenManifests(t *testing.T) {
	huge := `{"name": "huge", "x": "` + strings.Repeat("x", 3<<20) + `"}`
	files := map[string]string{
		"good/package.json":      `{"name": "good", "dependencies": {"next": "15"}, "scripts": {"dev": "next dev"}}`,
		"bom/package.json":       "\xef\xbb\xbf" + `{"name": "bom", "dependencies": {"astro": "5"}}`,
		"comment/package.json":   "// no\n" + `{"name": "comment", "dependencies": {"nuxt": "4"},}`,
		"cut/package.json":       `{"name": "cut", "scripts": {`,
		"types/package.json":     `{"name": 7, "scripts": [], "dependencies": {"vite": "6", "x": {}}, "workspaces": 3}`,
		"huge/package.json":      huge,
		"deep/package.json":      `{"a":` + strings.Repeat("[", 200_000),
		"deep-toml/Cargo.toml":   "a = " + strings.Repeat("[", 200_000),
		"deep-yaml/compose.yaml": strings.Repeat("[", 200_000),
		"deep-xml/pom.xml":       strings.Repeat("<a>", 100_000),
		"toml/pyproject.toml":    "[project\nname = 1",
		"go/go.mod":              "modul x\n(",
		"yaml/pubspec.yaml":      "a: [",
		"bytes/package.json":     "\x00\xff\xfe",
		"empty/package.json":     "",
		"new\nline/package.json": `{"name": "newline", "dependencies": {"gatsby": "5"}}`,
		"outside/x":              "",
		"fifo/x":                 "",
		"sock/x":                 "",
		"loop/x":                 "",
		"closed/deno.json":       "{}",
		"folder/Cargo.toml/x":    "",
	}
	dir := layOut(t, files, sorted(files))
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := syscall.Mkfifo(at("fifo/package.json"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // the address of a socket must be short
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: "sock/package.json", Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	secret := filepath.Join(t.TempDir(), "package.json")
	if err := os.WriteFile(secret, []byte(`{"name": "secret"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"outside/package.json": secret, "loop/package.json": "package.json", "loop/again": "..", "loop/dir": "/",
	} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(at("closed"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(at("closed"), 0o700) })
	r := detect(t, dir)
	mains := map[string]string{}
	for _, p := range r.Projects {
		mains[p.Path] = p.MainStack
		if p.Name == "secret" {
			t.Error("a link out of the workspace was followed")
		}
	}
	for path, main := range map[string]string{
		"good": "nextjs", "bom": "astro", "comment": "nuxt", "cut": "node", "types": "vite", "new\nline": "gatsby", "go": "go",
		"deep-toml": "rust", "toml": "python", "huge": "node",
	} {
		if mains[path] != main {
			t.Errorf("%q is %q, it is to be %s", path, mains[path], main)
		}
	}
	told := map[string]string{}
	for _, p := range r.Problems {
		told[p.File] = p.Reason
	}
	for file, part := range map[string]string{
		"comment/package.json": "comments", "cut/package.json": "line 1: unexpected end", "huge/package.json": "1 MiB",
		"deep/package.json": "nested", "deep-toml/Cargo.toml": "nested", "deep-yaml/compose.yaml": "nested", "deep-xml/pom.xml": "nested",
		"toml/pyproject.toml": "line 1", "go/go.mod": "no module line", "yaml/pubspec.yaml": "yaml", "bytes/package.json": "invalid character",
		"empty/package.json": "unexpected end", "outside/package.json": "escapes", "sock/package.json": "it is not a file (S---------)", "fifo/package.json": "not a file",
		"loop/package.json": "too many",
	} {
		if !strings.Contains(told[file], part) {
			t.Errorf("%s: told %q, it has to say %q", file, told[file], part)
		}
	}
	if os.Getuid() != 0 && !strings.Contains(told["closed"], "permission") {
		t.Errorf("closed: told %q", told["closed"])
	}
	if told["good/package.json"]+told["bom/package.json"]+told["new\nline/package.json"] != "" {
		t.Errorf("what is right is told: %v", told)
	}
}
