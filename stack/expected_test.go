package stack

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Processes are recognised by their folder, their command and their ports. An expectation without a
// process is missing.
func TestCompare(t *testing.T) {
	tree := map[string]string{
		"package.json":          `{"workspaces": ["apps/*"], "scripts": {"dev": "turbo run dev"}, "devDependencies": {"turbo": "2"}}`,
		"package-lock.json":     "{}",
		"apps/web/package.json": `{"scripts": {"dev": "vite --port 4000"}, "devDependencies": {"vite": "7"}}`,
		"apps/api/package.json": `{"scripts": {"dev": "node --watch server.js"}}`,
		"apps/api/server.js":    "require('http').createServer().listen(3000)",
		"compose.yaml":          "services:\n  db:\n    image: postgres\n    ports: ['5432:5432']\n",
	}
	dir := layOut(t, tree, sorted(tree))
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	web, api := filepath.Join(dir, "apps", "web"), filepath.Join(dir, "apps", "api")
	report := detect(t, dir)
	for _, test := range []struct {
		name             string
		running          []Running
		listening        []int
		runs, missing    string
		marks            map[int]Mark
		unmarked, reason int // pids
	}{
		{name: "nothing", missing: ".:dev .:db apps/api:dev apps/web:dev"},
		{
			name: "a dev command with what it starts",
			running: []Running{
				{PID: 2, Parent: 1, Name: "bash", Argv: []string{"bash"}, Cwd: dir},
				{PID: 3, Parent: 2, Name: "npm run dev", Argv: []string{"npm run dev"}, Cwd: web},
				{PID: 4, Parent: 3, Name: "sh", Argv: []string{"sh", "-c", "vite --port 4000"}, Cwd: web},
				{PID: 5, Parent: 4, Name: "node", Argv: []string{"node", web + "/node_modules/.bin/vite", "--port", "4000"}, Cwd: web, Ports: []int{4000}},
				{PID: 6, Parent: 5, Name: "esbuild", Argv: []string{"esbuild", "--service=0.25", "--ping"}, Cwd: web},
			},
			runs: "apps/web:dev", missing: ".:db apps/api:dev",
			marks: map[int]Mark{3: Expected, 4: Expected, 5: Expected}, unmarked: 6,
		},
		{
			name: "the same by its port, and by its interpreter",
			running: []Running{
				{PID: 3, Parent: 1, Name: "node", Argv: []string{"node", "x.js"}, Cwd: web, Ports: []int{4000}},
				{PID: 4, Parent: 1, Name: "node", Argv: []string{"node", "/usr/bin/npm-cli.js", "run", "dev"}, Cwd: api},
			},
			runs: "apps/api:dev apps/web:dev", missing: ".:db", marks: map[int]Mark{3: Expected, 4: Expected},
		},
		{
			name:    "all at once",
			running: []Running{{PID: 3, Parent: 1, Name: "npm", Argv: []string{"npm", "run", "dev"}, Cwd: dir}},
			runs:    ".:dev", missing: ".:db apps/api:dev apps/web:dev", marks: map[int]Mark{3: Expected},
		},
		{
			name: "a service, whoever has its port", listening: []int{22, 5432},
			runs: ".:db", missing: ".:dev apps/api:dev apps/web:dev",
		},
		{
			name: "what is not expected",
			running: []Running{
				{PID: 3, Parent: 1, Name: "python3", Argv: []string{"python3", "-m", "http.server"}, Cwd: web, Ports: []int{8000}},
				{PID: 4, Parent: 1, Name: "make", Argv: []string{"make", "all"}, Cwd: web},
			},
			missing: ".:dev .:db apps/api:dev apps/web:dev", marks: map[int]Mark{3: Unexpected}, unmarked: 4, reason: 3,
		},
	} {
		c := report.Compare(test.running, test.listening)
		names := func(list []Expectation) string {
			var all []string
			for _, e := range list {
				all = append(all, e.Project+":"+e.Name)
			}
			return strings.Join(all, " ")
		}
		if names(c.Running) != test.runs || names(c.Missing) != test.missing {
			t.Errorf("%s: %q run and %q are missing, want %q and %q", test.name, names(c.Running), names(c.Missing), test.runs, test.missing)
		}
		for pid, want := range test.marks {
			if c.Marks[pid] != want {
				t.Errorf("%s: %d is %q, want %q", test.name, pid, c.Marks[pid], want)
			}
		}
		if mark := c.Marks[test.unmarked]; mark != "" {
			t.Errorf("%s: %d is %q", test.name, test.unmarked, mark)
		}
		if test.reason != 0 && c.Reasons[test.reason] == "" {
			t.Errorf("%s: no reason for %d", test.name, test.reason)
		}
	}
}

// A program that only has the folder, the interpreter and the port of the dev command is not one of
// its processes.
func TestCompareStranger(t *testing.T) {
	tree := map[string]string{
		"app.py":         "from flask import Flask\napp = Flask(__name__)\n",
		"pyproject.toml": "[project]\nname = 'py'\ndependencies = ['flask']\n",
	}
	dir := layOut(t, tree, sorted(tree))
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	report := detect(t, dir)
	for _, test := range []struct {
		argv string
		port int
		want Mark
	}{
		{"python3 -m http.server 5000", 5000, Unexpected},
		{"python3 -m http.server", 8000, Unexpected},
		{"nc -l 5000", 5000, Unexpected},
		{"/x/venv/bin/python /x/venv/bin/flask run", 5000, Expected},
		{"python3 -m flask run", 5000, Expected},
		{"python3 app.py", 5000, Expected},
		{"flask run", 5001, Expected},
	} {
		argv := strings.Fields(test.argv)
		c := report.Compare([]Running{{PID: 3, Parent: 1, Name: filepath.Base(argv[0]), Argv: argv, Cwd: dir, Ports: []int{test.port}}}, nil)
		if c.Marks[3] != test.want || len(c.Running) == 1 != (test.want == Expected) {
			t.Errorf("%s is %q: %s", test.argv, c.Marks[3], c.Reasons[3])
		}
		if said := strings.Contains(c.Reasons[3], "It has port 5000, which is that of"); said != (test.want == Unexpected && test.port == 5000) {
			t.Errorf("%s: %q", test.argv, c.Reasons[3])
		}
	}
}

// A process is the dev command only by what that runs in the end, or by its port. A watcher of the same project and
// another program of the same interpreter are not.
func TestCompareOwnCommand(t *testing.T) {
	for _, test := range []struct {
		dev, argv string
		port      int
		want      bool
	}{
		{"node server.js", "node /x/node_modules/.bin/tsc -w", 0, false},
		{"node server.js", "node_modules/.bin/tsc -w", 0, false},
		{"node server.js", "node /x/node_modules/.bin/nodemon x.js", 0, false},
		{"node server.js", "node other.js", 0, false},
		{"node server.js", "node sub/server.js", 0, false},
		{"node server.js", "node server.js", 0, true},
		{"node server.js", "node --enable-source-maps ./server.js", 0, true},
		{"node server.js", "node other.js", 18600, true},
		{"nodemon server.js", "node /x/node_modules/.bin/nodemon x.js", 0, false},
		{"nodemon server.js", "node /x/node_modules/.bin/nodemon server.js", 0, true},
		{"next dev", "node /x/node_modules/.bin/next dev -p 4000", 0, true},
		{"next dev", "node /x/node_modules/.bin/next build", 0, false},
		{"next dev", "node /x/node_modules/.bin/tsc -w", 0, false},
		{"concurrently 'tsc -w' 'vite'", "node /x/node_modules/.bin/tsc -w", 0, false},
		{"concurrently 'tsc -w' 'vite'", "node /x/node_modules/.bin/vite", 0, true},
		{"tsc -w", "node /x/node_modules/.bin/tsc -w", 0, true},
		{"vite", "node /x/node_modules/.bin/vite build --watch", 0, false},
		{"vite", "node /x/node_modules/.bin/vite preview", 0, false},
		{"vite", "node /x/node_modules/.bin/vite --port 4000 --host", 0, true},
		{"parcel", "node /x/node_modules/.bin/parcel watch src", 0, false},
		{"parcel src/index.html", "node /x/node_modules/.bin/parcel watch src/index.html", 0, false},
		{"next dev", "node /x/node_modules/.bin/next dev web --port 4000", 0, true},
	} {
		tree := map[string]string{
			"package.json":  `{"scripts": {"dev": "` + test.dev + `"}, "devDependencies": {"typescript": "5"}}`,
			"tsconfig.json": "{}",
			"server.js":     "require('http').createServer().listen(18600)",
		}
		dir := layOut(t, tree, sorted(tree))
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		argv := strings.Fields(test.argv)
		process := Running{PID: 3, Parent: 1, Name: filepath.Base(argv[0]), Argv: argv, Cwd: dir}
		if test.port > 0 {
			process.Ports = []int{test.port}
		}
		if c := detect(t, dir).Compare([]Running{process}, nil); len(c.Running) == 1 != test.want || len(c.Running)+len(c.Missing) != 1 {
			t.Errorf("dev %q with %q at %d: running %v, missing %v", test.dev, test.argv, test.port, c.Running, c.Missing)
		}
	}
}

func TestSameCommand(t *testing.T) {
	for _, test := range []struct {
		argv string
		want bool
	}{
		{"npm run dev", true},
		{"node /usr/bin/npm run dev", true},
		{"node /usr/lib/npm/bin/npm-cli.js run dev --host", true},
		{"node --no-warnings /x/npm.cjs run dev", true},
		{"npm run dev:web", false},
		{"npm run", false},
		{"pnpm run dev", false},
		{"cat a b npm run dev", false},
	} {
		if got := sameCommand(strings.Fields(test.argv), []string{"npm", "run", "dev"}); got != test.want {
			t.Errorf("%q: %v", test.argv, got)
		}
	}
}

// A tool that is started by hand and ends is not missing. An unknown program with a port is.
func TestCompareTools(t *testing.T) {
	for text, want := range map[string]string{
		"package main\n\nfunc main() { println(1) }\n":                                                 "",
		"package main\n\nimport \"net/http\"\n\nfunc main() { http.ListenAndServe(\":8097\", nil) }\n": ".:go start",
	} {
		tree := map[string]string{"go.mod": "module example.com/tool\n", "main.go": text}
		c := detect(t, layOut(t, tree, sorted(tree))).Compare(nil, nil)
		var missing []string
		for _, e := range c.Missing {
			missing = append(missing, e.Project+":"+e.Name)
		}
		if got := strings.Join(missing, " "); got != want {
			t.Errorf("%q is missing with %q, want %q", got, text, want)
		}
	}
}

// The manifests name the programs that people run beside them, and package.json alone tells how npm starts a server.
func TestExpectedProcesses(t *testing.T) {
	for file, want := range map[string][]string{
		"package.json":   {"node", "npm", "npx"},
		"pnpm-lock.yaml": {"pnpm", "node"},
		"bun.lockb":      {"bun"},
		"deno.json":      {"deno"},
		"Cargo.toml":     {"cargo", "rustc"},
		"pyproject.toml": {"python", "pip", "poetry"},
		"go.mod":         {"go"},
		"tsconfig.json":  {"tsc", "ts-node"},
	} {
		tree := map[string]string{"package.json": "{}", file: map[string]string{
			"package.json": "{}", "deno.json": "{}", "tsconfig.json": "{}", "go.mod": "module x\n", "Cargo.toml": "[package]\nname = 'x'\n", "pyproject.toml": "[project]\nname = 'x'\n",
		}[file]}
		if file == "pyproject.toml" || file == "Cargo.toml" || file == "go.mod" || file == "deno.json" {
			delete(tree, "package.json")
		}
		report := detect(t, layOut(t, tree, sorted(tree)))
		for _, name := range want {
			if !slices.Contains(report.ExpectedProcesses, name) {
				t.Errorf("%s: %q lacks %s", file, report.ExpectedProcesses, name)
			}
		}
		if file == "package.json" && !(&detection{}).matchesAny(report.DevServerPatterns, "npm run dev") {
			t.Errorf("no pattern of %q matches npm run dev", report.DevServerPatterns)
		}
	}
}
