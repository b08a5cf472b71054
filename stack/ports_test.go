package stack

import (
	"strconv"
	"strings"
	"testing"
)

// The port of a project comes from the first of: flags, the environment, settings, code, the default
// of the stack, and compose files.
func TestExpectedPorts(t *testing.T) {
	const express = `{"scripts": {"dev": "node --watch server.js"}, "dependencies": {"express": "5"}}`
	const vite = `{"scripts": {"dev": "vite"}, "devDependencies": {"vite": "7"}}`
	for _, test := range []struct {
		name, want string
		files      map[string]string
	}{
		{"flag before settings", "4001 flag", map[string]string{
			"package.json": `{"scripts": {"dev": "vite --port 4001"}, "devDependencies": {"vite": "7"}}`, "vite.config.ts": "export default { server: { port: 4002 } }",
		}},
		{"flag of a script that is called", "4003 flag", map[string]string{
			"package.json": `{"scripts": {"dev": "run-p dev:*", "dev:a": "tsc -w", "dev:b": "vite --port=4003"}, "devDependencies": {"vite": "7"}}`,
		}},
		{"prefix", "4004 env", map[string]string{
			"package.json": `{"scripts": {"dev": "PORT=4004 node server.js"}, "dependencies": {"express": "5"}}`, "server.js": "app.listen(process.env.PORT || 3000)",
		}},
		{"env file before code", "4005 env", map[string]string{"package.json": express, ".env": "PORT=4005\n", "server.js": "app.listen(4006)\n"}},
		{"settings with an environment", "4007 config", map[string]string{"package.json": vite, "vite.config.ts": "export default defineConfig(() => ({\n  server: {\n    host: true,\n    port: Number(process.env.PORT) || 4007 } }))"}},
		{"code", "4008 code", map[string]string{"package.json": express, "server.js": "const PORT = process.env.PORT || 4008;\napp.listen(PORT)\n"}},
		{"code of Go", "4009 code", map[string]string{"go.mod": "module example.com/a\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() { http.ListenAndServe(\":4009\", nil) }\n"}},
		{"code of Rust", "4010 code", map[string]string{"Cargo.toml": "[package]\nname = \"a\"\n[dependencies]\naxum = \"0.8\"\n", "src/main.rs": "let l = TcpListener::bind(\"0.0.0.0:4010\").await;\n"}},
		{"code of Python", "4011 code", map[string]string{"requirements.txt": "bottle\n", "app.py": "run(host='localhost', port=4011)\n"}},
		{"the port of a database is none", "3000 default", map[string]string{"package.json": express, "server.js": "const db = connect({ port: 5432 })\n"}},
		{"puma", "4012 config", map[string]string{"Gemfile": "gem \"rails\"\n", "bin/rails": "", "config/puma.rb": "threads 3\nport ENV.fetch(\"PORT\", 4012)\n"}},
		{"phoenix", "4013 config", map[string]string{"mix.exs": "{:phoenix, \"~> 1.7\"}\n", "config/dev.exs": "config :a, A.Endpoint,\n  http: [ip: {127, 0, 0, 1}, port: 4013],\n"}},
		{"tauri", "4014 config", map[string]string{"package.json": `{"scripts": {"tauri": "tauri"}, "devDependencies": {"@tauri-apps/cli": "2"}}`, "src-tauri/tauri.conf.json": `{"build": {"devUrl": "http://localhost:4014"}}`}},
		{"streamlit", "4015 config", map[string]string{"requirements.txt": "streamlit\n", "app.py": "", ".streamlit/config.toml": "[server]\nport = 4015\n"}},
		{"spring", "4016 config", map[string]string{"pom.xml": "<project><parent><groupId>org.springframework.boot</groupId><artifactId>x</artifactId></parent></project>", "src/main/resources/application.yml": "server:\n  port: ${PORT:4016}\n"}},
		{"angular", "4017 config", map[string]string{"package.json": `{"scripts": {"start": "ng serve"}, "dependencies": {"@angular/core": "21"}}`, "angular.json": `{"projects": {"a": {"architect": {"serve": {"options": {"port": 4017}}}}}}`}},
		{"launch settings", "4018 config", map[string]string{"A.csproj": `<Project Sdk="Microsoft.NET.Sdk.Web"/>`, "Properties/launchSettings.json": `{"profiles": {"http": {"applicationUrl": "http://localhost:4018"}}}`}},
		{"dev container", "4019 declared", map[string]string{"go.mod": "module example.com/a\n", ".devcontainer/devcontainer.json": `{"forwardPorts": [4019]}`}},
		{"compose extends", "4020 declared", map[string]string{
			"compose.yaml": "services:\n  a:\n    extends:\n      file: base.yaml\n      service: web\n", "base.yaml": "services:\n  web:\n    extends: root\n    build: .\n  root:\n    ports: ['4020:80']\n",
		}},
		{"compose includes", "4021 declared", map[string]string{
			"compose.yaml": "include:\n  - path: [more/a.yaml]\nservices: {}\n", "more/a.yaml": "services:\n  a:\n    image: x\n    ports:\n      - target: 80\n        published: 4021\n",
		}},
		{"compose that includes itself", "4022 declared", map[string]string{"compose.yaml": "include: [compose.yaml]\nservices:\n  a:\n    extends: a\n    ports: ['4022:80']\n"}},
		{"deno that does not serve", "", map[string]string{"deno.json": `{"tasks": {"dev": "deno run --watch main.ts"}}`, "main.ts": "console.log(1)\n"}},
		{"deno that serves", "8000 default", map[string]string{"deno.json": `{"tasks": {"dev": "deno run --watch main.ts"}}`, "main.ts": "Deno.serve(() => new Response())\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := detect(t, layOut(t, test.files, sorted(test.files)))
			got := ""
			if ports := r.Projects[0].Ports; len(ports) > 0 {
				got = strings.TrimSpace(strconv.Itoa(ports[0].Port) + " " + ports[0].Source)
				if ports[0].Evidence.File == "" {
					t.Errorf("%d has no evidence", ports[0].Port)
				}
			}
			if got != test.want {
				t.Errorf("found %q, wanted %q", got, test.want)
			}
		})
	}
}

// Scripts that a script calls by name are followed, but only those of its own project.
func TestRuns(t *testing.T) {
	tree := map[string]string{"package.json": `{"scripts": {
		"dev": "concurrently \"npm:dev:*\" 'yarn watch'", "dev:web": "vite", "dev:api": "cross-env A=1 nodemon api", "watch": "tsc -w",
		"all": "run-p dev:web watch && npm run loop", "loop": "npm run loop", "other": "npm run dev --prefix web", "filter": "pnpm --filter web dev",
		"start": "npm start", "two": "vite; (eslint . && true)"}}`}
	want := map[string]string{
		"dev": "vite | cross-env A=1 nodemon api | tsc -w", "all": "vite | tsc -w | npm run loop", "other": "npm run dev --prefix web",
		"filter": "pnpm --filter web dev", "start": "npm start", "two": "vite | eslint . | true", "loop": "npm run loop",
	}
	for _, c := range detect(t, layOut(t, tree, sorted(tree))).Projects[0].Commands {
		if got := strings.Join(c.runs, " | "); want[c.Name] != "" && got != want[c.Name] {
			t.Errorf("%s runs %s, wanted %s", c.Name, got, want[c.Name])
		}
	}
}
