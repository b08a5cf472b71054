package stack

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	for command, want := range map[string]string{
		// class, confidence, & for detached, the bounded form after a slash
		"vite":                         "server high",
		"vite build":                   "build high",
		"vite build --watch && echo x": "watcher high / vite build && echo x",
		"vite --help":                  "oneshot high",
		"tsc -w":                       "watcher high / tsc",
		"tsc && vite":                  "server high",
		"tsc -w & vite":                "server high &",
		"tsc -w & vite & wait":         "server high",
		"vite &":                       "oneshot high &",
		"(vite)":                       "server high",
		"if true; then vite; fi":       "server high",
		"f() { vite; }; f":             "server high",
		"f() { vite; }; echo":          "oneshot high",
		"echo $(vite)":                 "server high",
		"x=$(python -m http.server)":   "server high",
		"cat <(tail -f x)":             "watcher high",
		"echo $(frobnicate)":           "oneshot medium",
		"kill $(cat pid)":              "oneshot high",
		"make > >(tee log)":            "build low",
		"timeout 0 npm start":          "server low",
		"timeout 0s vite":              "server high",
		"timeout 0.5 vite":             "oneshot high",
		"node -e 'setInterval(f, 9)'":  "watcher low",
		"node -e 'require(\"http\").createServer(f)'":                             "server low",
		"node --eval='while (true) {}'":                                           "watcher low",
		"node -pe 'process.version'":                                              "oneshot medium",
		"node -e \"$CODE\"":                                                       "oneshot low",
		"python3 -c 'import time\nwhile True: time.sleep(1)'":                     "watcher low",
		"python3 -c 'import time\nwhile True:\n  if f(): break'":                  "oneshot medium",
		"python -c 'import http.server as h; h.HTTPServer((),0).serve_forever()'": "server low",
		"ruby -e 'loop { sleep 1 }'":                                              "watcher low",
		"ruby -ne 'print'":                                                        "oneshot high",
		"perl -e 'while (1) { sleep 1 }'":                                         "watcher low",
		"perl -lane 'print'":                                                      "oneshot high",
		"php -r 'while (true) { sleep(1); }'":                                     "watcher low",
		"deno eval 'setInterval(f)'":                                              "watcher low",
		"bun -e 'Bun.serve({})'":                                                  "server low",
		"echo x | python3 -c 'print(input())'":                                    "oneshot medium",
		"concurrently -k -s first 'npm run api' 'npm run e2e'":                    "test low",
		"concurrently -k -s first vite 'tsc -w'":                                  "server high",
		"concurrently -k vite 'npm run e2e'":                                      "server high",
		"hatch run test":                                                          "test low",
		"docker compose up --exit-code-from web":                                  "test low",
		"docker compose up --abort-on-container-exit":                             "test low",
		"gunicorn -D a:b":                                                         "oneshot high &",
		"memcached -d -m 64":                                                      "oneshot high &",
		"elasticsearch -d -p pid":                                                 "oneshot high &",
		"localstack start -d":                                                     "oneshot high &",
		"localstack start":                                                        "server high",
		"pm2 start x.js --no-daemon":                                              "server high / pm2 start x.js",
		"pm2 start x.js":                                                          "oneshot high &",
		"redis-server --daemonize no":                                             "server medium",
		"yarn":                                                                    "oneshot high",
		"tmux":                                                                    "interactive high",
		"echo vite":                                                               "oneshot high",
		"rm -rf .next":                                                            "oneshot high",
		"cat <<X\nvite\nX\n":                                                      "oneshot high",
		"while true; do date; done":                                               "watcher medium",
		"timeout 5 vite":                                                          "oneshot high",
		"vitest":                                                                  "watch-if-tty high / vitest run",
		"vitest run src":                                                          "test high",
		"vitest src/a.ts":                                                         "watch-if-tty high / vitest run src/a.ts",
		"CI=1 vitest":                                                             "test high",
		"cross-env CI=true vitest":                                                "test high",
		"react-scripts test":                                                      "watch-if-tty high / CI=true react-scripts test",
		"jest --watchAll":                                                         "watcher high / jest",
		"jest --watchAll=false":                                                   "test high",
		"ng test":                                                                 "watch-if-tty medium / ng test --no-watch",
		"ng test --watch=false":                                                   "test high",
		"FOO=1 npx -y next dev -p 4000":                                           "server high",
		"env -u A B=1 next start":                                                 "server high",
		"dotenv -e .env -- next dev":                                              "server high",
		"xvfb-run -a playwright test":                                             "test high",
		"sudo -u me nice -n 5 vite":                                               "server high",
		"stdbuf -oL tail -f x":                                                    "watcher high / stdbuf -oL tail x",
		"tail -n5 x":                                                              "oneshot high",
		"tail -f x | grep y":                                                      "watcher high / tail x | grep y",
		"docker compose up":                                                       "server high / docker compose up -d --wait",
		"docker compose up -d":                                                    "oneshot high &",
		"docker compose -f a.yml up -d":                                           "oneshot high &",
		"docker-compose up --build":                                               "server high / docker-compose up -d --wait --build",
		"docker run -d nginx":                                                     "oneshot high &",
		"docker run -it --rm alpine sh":                                           "interactive medium / docker run -it --rm alpine sh -c 'COMMAND'",
		"docker run --rm -v $PWD:/x go go test":                                   "test medium",
		"ssh host":                                                                "interactive high / ssh host COMMAND",
		"ssh host ls":                                                             "oneshot medium",
		"kubectl logs -f x":                                                       "watcher high / kubectl logs x",
		"python -m http.server 8000":                                              "server high",
		"python3 -c 'print(1)'":                                                   "oneshot medium",
		"python":                                                                  "interactive high / python -c CODE",
		"echo 1 | python":                                                         "oneshot medium",
		"python manage.py runserver":                                              "server high",
		"python manage.py migrate":                                                "oneshot high",
		"uv run pytest -x":                                                        "test high",
		"uv run --with x -m flask run":                                            "server high",
		"poetry run uvicorn a:b --reload":                                         "server medium",
		"bundle exec rails s":                                                     "server high",
		"bundle exec rspec":                                                       "test high",
		"git commit":                                                              "interactive high / git commit -m MESSAGE",
		"git commit -am x":                                                        "oneshot high",
		"git rebase -i HEAD~3":                                                    "interactive high / git rebase HEAD~3",
		"npm init":                                                                "interactive high / npm init -y",
		"npm ci":                                                                  "oneshot high",
		"psql -c 'select 1'":                                                      "oneshot high",
		"psql":                                                                    "interactive high",
		"psql < a.sql":                                                            "oneshot medium",
		"vim x":                                                                   "interactive high",
		"x | less":                                                                "interactive high",
		"watch -n1 'ls -l'":                                                       "watcher high / 'ls -l'",
		"ls | entr -r make":                                                       "watcher high / ls | make",
		"nodemon a.js":                                                            "watcher high",
		"node --watch a.js":                                                       "watcher high / node a.js",
		"node --test --watch":                                                     "watcher high / node --test",
		"node node_modules/vite/bin/vite.js":                                      "server high",
		"node_modules/.bin/tsc":                                                   "build high",
		"$(npm bin)/tsc":                                                          "build high",
		"bash -c 'cd x && vite'":                                                  "server high",
		"nix develop -c vite":                                                     "server high",
		"mise exec node@20 -- vite":                                               "server high",
		"cargo +nightly test":                                                     "test high",
		"cargo watch -x run":                                                      "watcher high",
		"gradle :app:bootRun":                                                     "server high",
		"./gradlew build":                                                         "build high",
		"mvn -q test":                                                             "test high",
		"mix phx.server":                                                          "server high",
		"dotnet watch":                                                            "watcher high",
		"php -S localhost:80":                                                     "server high",
		"php artisan serve":                                                       "server high",
		"concurrently 'tsc -w' 'vite'":                                            "server high",
		"npm run dev":                                                             "server low",
		"npm run frobnicate":                                                      "unknown low",
		"$X run":                                                                  "unknown low",
		"a && (":                                                                  "unknown low",
		"frobnicate":                                                              "unknown low",
		"frobnicate && tsc":                                                       "build low",
		"frobnicate --watch":                                                      "watcher medium",
		"":                                                                        "oneshot high",
		"while sleep 1; do date; done":                                            "watcher medium",
		"while sleep 1; do x && break; done":                                      "oneshot low",
		"command -v vite":                                                         "oneshot high",
		"command vite":                                                            "server high",
		"sleep infinity":                                                          "watcher medium",
		"yes | head -1":                                                           "oneshot low",
		"yes '' | npm run build":                                                  "build low",
		"sqlite3 x.db":                                                            "interactive high",
		"sqlite3 x.db 'select 1'":                                                 "oneshot high",
		"clickhouse-client -q 'select 1'":                                         "oneshot high",
		"consul agent -dev":                                                       "server medium",
		"caddy run":                                                               "server high",
		"caddy start":                                                             "oneshot high &",
		"pg_ctl -D data -l log start":                                             "oneshot high &",
		"mongod --fork":                                                           "oneshot high &",
		"rq worker -v":                                                            "watcher medium",
		"rq worker --burst":                                                       "oneshot high",
		"ollama run llama3":                                                       "interactive high",
		"ollama run llama3 'why'":                                                 "oneshot medium",
		"sam local invoke F":                                                      "oneshot high",
		"sam local start-api":                                                     "server high",
		"supabase start":                                                          "oneshot high &",
	} {
		v := Classify(command, "")
		got := string(v.Class) + " " + v.Confidence.String()
		if v.Detaches {
			got += " &"
		}
		if v.Bounded != "" {
			got += " / " + v.Bounded
		}
		if got != want {
			t.Errorf("Classify(%q) = %s, want %s: %s", command, got, want, v.Reason)
		}
		if v.Reason == "" || v.Launch != v.Class.launch() || v.Command != command {
			t.Errorf("Classify(%q) = %+v", command, v)
		}
	}
}

func TestPorts(t *testing.T) {
	for command, want := range map[string]int{
		"vite --port 3000": 3000, "vite --port=3001": 3001, "PORT=4 next dev": 4, "next dev -p 5": 5, "cross-env PORT=6 next": 6,
		"python -m http.server 8000": 8000, "python -m http.server": 0, "manage.py runserver 0.0.0.0:81": 81, "php -S localhost:82": 82,
		"gunicorn -b 0.0.0.0:83 a": 83, "vite": 0, "vite --port x": 0, "vite --port 99999999": 0, "PORT=4 tsc": 0,
	} {
		if v := Classify(command, ""); v.Port != want {
			t.Errorf("Classify(%q).Port = %d, want %d", command, v.Port, want)
		}
	}
}

// Each script is classified in a workspace that has the files.
func TestScripts(t *testing.T) {
	files := append(repository,
		"package.json="+`{"workspaces":["packages/*"],"scripts":{"dev":"vite","build":"tsc","pretest":"tsc","test":"vitest",
			"a":"npm run b","b":"npm run a","all":"run-p dev:*","dev:x":"tsc -w","dev:y":"eslint .","start":"node server.js","cd":"cd packages/web && npm run dev",
			"w":"wireit","fw":"npm run build -- --watch","prestart":"tsc","c":"concurrently npm:dev npm:build","ext":"sh ./run.sh"},
			"wireit":{"w":{"command":"x","service":true}}}`,
		"server.js=// createServer(\nx.listen(3)\n", "out.js=x()\n",
		"packages/web/package.json="+`{"name":"@a/web","scripts":{"dev":"next","build":"next build"}}`,
		"turbo.json="+`{/*c*/"tasks":{"serve":{"persistent":true},"build":{}}}`,
		"run.sh=#!/bin/sh\nset -e\nexec vite --host\n", "empty.sh=\n", "bin/dev=#!/usr/bin/env ruby\nexec \"./bin/rails\", \"server\", *ARGV\n",
		"Makefile=X = npm run\n.PHONY: dev\ndev: build\n\t@$(X) dev\nbuild:\n\tgo build ./...\nloop: loop\n\tmake loop\nall: build\n\t-go test \\\n\t  ./...\n",
		"justfile=v := \"vite\"\ndev *args: build\n  @{{v}} {{args}}\nbuild:\n  tsc\nalias d := dev\n",
		"Taskfile.yml=version: 3\ntasks:\n  dev:\n    deps: [build]\n    cmds: [vite]\n  build: tsc\n  w: {watch: true, cmds: [tsc]}\n",
		"Procfile=web: bundle exec puma -p 3\nworker: x\n",
		"hatch.toml=[envs.default.scripts]\ntest = 'pytest --looponfail'\n[envs.docs.scripts]\nserve = 'mkdocs serve'\n",
		"pyproject.toml=[tool.poe.tasks]\nserve = 'uvicorn a:b'\ntest = {cmd = 'pytest'}\nall = ['test', 'serve']\n[tool.hatch.envs.default.scripts]\nd = 'flask run'\n",
		"composer.json="+`{"scripts":{"dev":["@php artisan serve"],"test":["@lint","phpunit"],"lint":"pint","hook":"A\\B::c"}}`,
		"deno.json="+`{"tasks":{"dev":"deno run --watch main.ts","serve":{"command":"deno serve a.ts","dependencies":["build"]},"build":"tsc"}}`,
		".cargo/config.toml=[alias]\nw = 'watch -x run'\n", "src/main.rs=fn main() { axum::serve(l, app) }\n",
		"mise.toml=[tasks.dev]\nrun = ['tsc', 'vite']\n", "main.go=package main\nfunc main() { http.ListenAndServe(a, nil) }\n",
	)
	dir := t.TempDir()
	lay(t, dir, files...)
	if err := os.Symlink("/etc", filepath.Join(dir, "out")); err != nil {
		t.Log(err)
	}
	for command, want := range map[string]string{
		"npm run dev": "server high", "npm run build": "build high", "npm test": "watch-if-tty high", "npm run a": "unknown low",
		"npm run all": "watcher high", "npm start": "server low", "npm run cd": "server high", "npm run w": "server high", "npm run fw": "watcher high",
		"npm run c": "server high", "npm run ext": "server medium", "npm run nothing": "unknown low", "npm run dev -w web": "server high",
		"npm run build -w @a/web": "build high", "pnpm dev": "server high", "pnpm --filter web dev": "server high", "pnpm -r build": "build high",
		"yarn dev": "server high", "yarn vite build": "build high", "yarn workspace @a/web build": "build high", "bun run dev": "server high",
		"bun server.js": "server low", "bun --watch server.js": "watcher high", "node --run dev": "server high", "deno task dev": "watcher high",
		"deno task serve": "server high", "deno task build": "build high", "node server": "server low", "node out.js": "unknown low",
		"node out/passwd": "unknown low", "node ../x.js": "unknown low",
		"turbo run serve": "server high", "turbo build": "build high", "nx build web": "build high", "nx dev web": "server high",
		"make": "server high", "make build": "build high", "make all": "test high", "make loop": "unknown low", "make nothing": "unknown low",
		"just": "server medium", "just d": "server medium", "just build": "build high", "task dev": "server high", "task w": "watcher high", "task build": "build high",
		"foreman start": "server medium", "foreman start web": "server medium", "poe serve": "server medium", "poe test": "test high", "poe all": "server medium",
		"uv run poe test": "test high", "hatch run d": "server high", "hatch run pytest": "test high", "hatch run test": "watcher high", "hatch run docs:serve": "server high", "cargo run -- --help": "oneshot medium", "composer dev": "server high", "composer test": "test high",
		"composer run hook": "oneshot low", "cargo w": "watcher high", "cargo run": "server low", "go run .": "server low", "mise run dev": "server high", "mise dev": "server high",
		"./run.sh": "server medium", "./empty.sh": "unknown low", "bin/dev": "server low", "concurrently -k 'vite' 'playwright test'": "test medium", "cd packages/web && npm run build": "build high", "cd $X && npm run dev": "server low",
	} {
		v := Classify(command, dir)
		if got := string(v.Class) + " " + v.Confidence.String(); got != want {
			t.Errorf("Classify(%q) = %s, want %s: %s %q", command, got, want, v.Reason, v.Chain)
		}
	}
	for command, want := range map[string][2]string{
		"npm test":      {"npm test -> vitest", ""},
		"npm run cd":    {"npm run cd -> npm run dev -> next", ""},
		"npm run dev":   {"npm run dev -> vite", ""},
		"npm run dev:x": {"npm run dev:x -> tsc -w", "npx tsc"},
		"just d":        {"just d -> vite ${PARAMETER}", ""},
		"vite":          {"", ""},
	} {
		v := Classify(command, filepath.Join(dir, "packages"))
		if got := strings.Join(v.Chain, " -> "); got != want[0] || v.Bounded != want[1] {
			t.Errorf("Classify(%q).Chain = %q, bounded %q, want %q", command, got, v.Bounded, want)
		}
	}
}

// Broken, huge and odd files are skipped.
func TestHostileScripts(t *testing.T) {
	for name, content := range map[string]string{
		"package.json":   `{"scripts":`,
		"Makefile":       "A = " + strings.Repeat("$(A)", 1000) + "\ndev: $(A)\n\t$(A)$(A)\n" + strings.Repeat("dev: a b\n", 50_000) + strings.Repeat("x ", 50_000) + ":\n" + strings.Repeat("\ty\n", 50_000),
		"justfile":       "dev: dev dev dev\n  {{{{}}}}\n",
		"Taskfile.yml":   "tasks: {dev: {cmds: [{task: dev}, {task: dev}]}}\n",
		"pyproject.toml": "[tool.poe.tasks]\ndev = ['dev', 'dev', 'dev']\n",
		"composer.json":  strings.Repeat("[", 100000),
		"deno.json":      "\ufeff{\"tasks\":{\"dev\":7}}",
	} {
		dir := t.TempDir()
		lay(t, dir, append(repository, name+"="+content)...)
		for _, command := range []string{"npm run dev", "make dev", "make", "just dev", "task dev", "poe dev", "composer dev", "deno task dev"} {
			if v := Classify(command, dir); v.Reason == "" {
				t.Errorf("%s with %s: %+v", command, name, v)
			}
		}
	}
}

// The verdict says why a manifest cannot be used.
func TestUnreadScripts(t *testing.T) {
	for content, want := range map[string]string{
		`{"x": "` + strings.Repeat("x", 1<<20) + `", "scripts": {"dev": "vite"}}`: "package.json cannot be read: it is longer than 1 MiB",
		`{"scripts":`: "package.json cannot be read: line 1: unexpected end of JSON input",
	} {
		dir := t.TempDir()
		lay(t, dir, append(repository, "package.json="+content)...)
		if v := Classify("npm run dev", dir); !strings.Contains(v.Reason, want) {
			t.Errorf("%.20q: %s, want %q", content, v.Reason, want)
		}
	}
}

func TestClassifyProcess(t *testing.T) {
	for _, test := range []struct {
		argv             string
		listens, watches bool
		want             Class
	}{
		{"node /x/node_modules/.bin/vite", false, false, Server},
		{"node /x/server.js", true, false, Server},
		{"node /x/a.js", false, true, Watcher},
		{"/tmp/go-build1/b001/exe/x", true, false, Server},
		{"sleep 5", false, false, Oneshot},
		{"java -cp gradle-launcher.jar org.gradle.launcher.daemon.bootstrap.GradleDaemon 8", true, true, Helper},
		{"dotnet /usr/VBCSCompiler.dll", false, false, Helper},
		{"/x/esbuild --service=0.1 --ping", false, false, Helper},
		{"node /x/node_modules/typescript/lib/tsserver.js", false, true, Helper},
	} {
		if v := ClassifyProcess(strings.Fields(test.argv), test.listens, test.watches); v.Class != test.want {
			t.Errorf("ClassifyProcess(%q, %v, %v) = %s, want %s: %s", test.argv, test.listens, test.watches, v.Class, test.want, v.Reason)
		}
	}
	for title, want := range map[string]Class{"npm run dev": Server, "next-server (v14)": Server, "puma 6.4 (tcp://0.0.0.0:3)": Server} {
		if v := ClassifyProcess([]string{title}, false, false); v.Class != want {
			t.Errorf("ClassifyProcess(%q) = %s, want %s: %s", title, v.Class, want, v.Reason)
		}
	}
}

// verbs are the verbs that a rule may have in place of a class.
var verbs = []string{
	"wrap", "far", "bounds", "wrap-name", "as", "after", "after-line", "line", "lines", "code", "script", "scripts", "named", "procfile", "entry", "entry-first",
}

// The table is valid: it has each program once, each rule has a known class or verb, and the last
// rule always fits.
func TestTable(t *testing.T) {
	classes := []string{"server", "watcher", "watch-if-tty", "build", "test", "oneshot", "interactive", "unknown"}
	seen := map[string]bool{}
	head := true // the next line does not continue names
	for l := range strings.Lines(programTable) {
		l = strings.TrimSuffix(l, "\n")
		if l == "" || strings.HasPrefix(l, "#") || strings.HasPrefix(l, " ") {
			head = true
			continue
		}
		if !head && !strings.Contains(l, " ") && strings.Contains(l, "=") {
			continue
		}
		for name := range strings.FieldsSeq(strings.TrimSuffix(l, "\\")) {
			if strings.Contains(name, "=") || name == "front" {
				continue
			}
			if seen[name] {
				t.Errorf("%s stands in the table twice", name)
			}
			seen[name] = true
			if at, same := findBySearch(name), findByIndex(name); at < 0 || at != same {
				t.Errorf("%s is found at %d by a search, at %d by the index", name, at, same)
			}
			p := lookup(name)
			if p == nil || len(p.rules) == 0 {
				t.Errorf("%s has no rules", name)
				continue
			}
			for _, r := range p.rules {
				if len(r.class) == 0 || !slices.Contains(classes, r.class[0]) && !slices.Contains(verbs, r.class[0]) {
					t.Errorf("%s: %q says %q", name, r, r.class)
				}
				if r.class[0] == "as" && lookup(r.class[1]) == nil {
					t.Errorf("%s: there is no %s", name, r.class[1])
				}
			}
			if last := p.rules[len(p.rules)-1]; len(last.terms) > 0 {
				t.Errorf("%s: its last rule is %q", name, last)
			}
		}
	}
	if len(seen) < 1000 || len(seen) > mostNames/2 {
		t.Errorf("the table has %d programs, the index is made for %d", len(seen), mostNames/2)
	}
	for _, name := range []string{"frobnicate", "vit", "TERM...", "bounds", ":"} {
		if findBySearch(name) >= 0 || findByIndex(name) >= 0 {
			t.Errorf("%q is no program", name)
		}
	}
}

// Any text is classified. A line keeps running if one of its halves does.
func FuzzClassify(f *testing.F) {
	for _, text := range []string{"vite", "npm run dev", "tsc -w & wait", "docker run -it x sh", "a 'b", "env X=1 sudo -u x timeout 3 vite", "bash -c 'bash -c vite'", "f() { vite; }; f"} {
		f.Add(text, "echo x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		first, second := Classify(a, ""), Classify(b, "")
		if first.Reason == "" || second.Reason == "" {
			t.Error("no reason")
		}
		both := Classify("(\n"+a+"\n) && (\n"+b+"\n)", "")
		if strings.Contains(a+b, "<<") || strings.HasSuffix(a, `\`) || strings.HasSuffix(b, `\`) || strings.Contains(both.Reason, "syntax") || strings.Contains(both.Reason, "too many") {
			return // one half may be a part of the other's text
		}
		if !both.Class.Long() && (first.Class.Long() || second.Class.Long()) {
			t.Errorf("%q is %s, %q is %s, but both are %s", a, first.Class, b, second.Class, both.Class)
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"scripts":{"dev":"cross-env A=1 vite --port 3000"}}`), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, command := range []string{"vite", "NODE_ENV=production tsc -p . && vite build && docker compose up", "npm run dev"} {
		b.Run(strings.Fields(command)[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Classify(command, dir)
			}
		})
		b.Run(strings.Fields(command)[0]+"/cold", func(b *testing.B) {
			for b.Loop() {
				known.Clear()
				lookups.Store(0)
				Classify(command, dir)
			}
		})
	}
}

// Targets of Nx are found in the files of their projects, or in the defaults for all projects.
func TestNxTargets(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, append(repository, "nx.json="+`{"targetDefaults": {"watch-all": {"continuous": true}}}`,
		"apps/api/project.json="+`{"name": "api", "targets": {"serve": {"executor": "@nx/js:node"}, "dev": {"command": "vite --port 3"}, "deploy": {"executor": "@x/y:z"},
			"lint": {"executor": "@nx/eslint:lint"}, "up": {"continuous": true, "command": "true"}, "all": {"options": {"commands": ["tsc", "vite"]}}}}`)...)
	for command, want := range map[string]string{
		"nx serve api": "server medium", "nx run api:dev": "server high", "nx lint api": "test medium", "nx run api:up": "server high",
		"nx run api:all": "server high", "nx watch-all other": "server high", "nx run api:deploy": "build low", "nx run other:dev": "server low",
	} {
		v := Classify(command, dir)
		if got := string(v.Class) + " " + v.Confidence.String(); got != want {
			t.Errorf("Classify(%q) = %s, want %s: %s", command, got, want, v.Reason)
		}
	}
}
