package escapetest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"devtools/runner/guard/isolation"
)

// A project is built once outside, which fills the user's caches, and then isolated, without a network.
type project struct {
	tool    string
	sources map[string]string
	warm    string // line of the shell
	more    string // line that fetches something else inside
	remove  string // what warm has built, below the project
	build   string
	prints  string
}

var projects = []project{
	{
		tool: "go",
		sources: map[string]string{
			"go.mod":  "module example.com/x\n\ngo 1.21\n\nrequire github.com/rivo/uniseg v0.4.7\n",
			"main.go": "package main\n\nimport \"github.com/rivo/uniseg\"\n\nfunc main() { println(\"width\", uniseg.StringWidth(\"four\")) }\n",
		},
		warm: "go mod tidy && go build -o x .", more: "go get rsc.io/quote@v1.5.2 && rm go.sum && echo 'package main; import _ \"rsc.io/quote\"' >y.go && go mod tidy", remove: "x", build: "go build -o x . && ./x", prints: "width 4",
	},
	{
		tool: "npm",
		sources: map[string]string{
			"package.json": `{"name":"x","version":"1.0.0","dependencies":{"is-odd":"3.0.1"},"scripts":{"build":"node -p 'require(\"is-odd\")(3)'"}}`,
		},
		warm: "npm install --no-audit --no-fund", more: "npm install --no-audit --no-fund is-even@1.0.0", remove: "node_modules", build: "npm ci && npm run build", prints: "true",
	},
	{
		tool: "cargo",
		sources: map[string]string{
			"Cargo.toml":  "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nitoa = \"1\"\n",
			"src/main.rs": "fn main() {\n    println!(\"{}\", itoa::Buffer::new().format(4711));\n}\n",
		},
		warm: "cargo build", more: "cargo add cfg-if@1 && cargo fetch", remove: "target", build: "cargo build && target/debug/x", prints: "4711",
	},
	{
		tool:    "python3",
		sources: map[string]string{"x.py": "import six\nprint(six.__version__)\n"},
		warm:    "python3 -m venv venv && venv/bin/pip download -d wheels six==1.16.0 && venv/bin/pip install six==1.16.0", remove: "none",
		build: "venv/bin/python x.py && python3 -m venv new && new/bin/pip install --no-index --find-links wheels six && new/bin/python x.py", prints: "1.16.0",
	},
}

// Builds with a dependency from a registry work at the level high without a network, also
// with dependencies that were fetched inside, and change no cache of the user.
func TestIsolatedBuilds(t *testing.T) {
	if err := isolation.Probe().High; err != nil {
		t.Skip(err)
	}
	yard := newYard(t)
	for _, build := range projects {
		t.Run(build.tool, func(t *testing.T) {
			if _, err := exec.LookPath(build.tool); err != nil {
				t.Skipf("%s is not installed", build.tool)
			}
			p := newPrison(t, yard, build.tool)
			home, root := p.path("home"), p.path("root")
			for name, text := range build.sources {
				if err := errors.Join(os.MkdirAll(home, 0o700), os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700)); err != nil {
					t.Fatal(err)
				}
				p.write(t, filepath.Join("root", name), text)
			}
			env := append(toolEnvironment(), p.env...)
			env = append(env, "HOME="+home, "PATH="+os.Getenv("PATH"), "CARGO_HOME="+filepath.Join(home, ".cargo"), "GOFLAGS=", "GOTOOLCHAIN=local")
			warm := exec.Command("timeout", "300", "sh", "-c", build.warm)
			warm.Dir, warm.Env = root, env
			if out, err := warm.CombinedOutput(); err != nil {
				t.Skipf("%s: %v: the registry may be out of reach:\n%s", build.warm, err, out)
			}
			if err := os.RemoveAll(filepath.Join(root, build.remove)); err != nil {
				t.Fatal(err)
			}
			before := files(t, home)
			isolated := func(net, line, prints string) {
				cmd := exec.Command(p.program, "run", "--isolation", "high", "--net", net, "--workspace", root, "--timeout", "5m", "--", "sh", "-c", line)
				cmd.Dir, cmd.Env = root, env
				if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), prints) {
					t.Errorf("--net %s: %s: %v\n%s", net, line, err, out)
				}
			}
			isolated("none", build.build, build.prints)
			if build.more != "" { // beside what the caches of the user have
				isolated("all", build.more, "")
				isolated("none", "rm -rf "+build.remove+" && "+build.build, build.prints)
			}
			if after := files(t, home); after != before {
				t.Errorf("the user's caches have changed")
			}
			_ = exec.Command("chmod", "-R", "u+w", home).Run() // Go's module cache is read-only
		})
	}
}

// toolEnvironment returns the variables that tools need beside the usual ones: where a toolchain is, and registries.
func toolEnvironment() (env []string) {
	rustup := os.Getenv("RUSTUP_HOME")
	if home, err := os.UserHomeDir(); err == nil && rustup == "" {
		rustup = filepath.Join(home, ".rustup")
	}
	env = append(env, "RUSTUP_HOME="+rustup)
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if upper := strings.ToUpper(name); strings.HasSuffix(upper, "_PROXY") || name == "GOPROXY" || name == "GONOSUMDB" || name == "GOSUMDB" || strings.HasPrefix(upper, "NPM_CONFIG_REGISTRY") || strings.HasPrefix(upper, "PIP_") || strings.HasPrefix(upper, "CARGO_REGISTR") || strings.HasPrefix(upper, "SSL_CERT") || strings.HasPrefix(name, "PYENV") {
			env = append(env, pair)
		}
	}
	return env
}

// files describes all files below a folder, except the caches of devtools.
func files(t *testing.T, folder string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Name() == "devtools" && entry.IsDir() {
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err == nil && !entry.IsDir() {
			fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
