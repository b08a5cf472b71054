package stack

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// generators make workspaces in the folder "made" of their working directory. want is the gist of
// the report.
var generators = []struct {
	name, want string
	command    []string
}{
	{"vite-react-ts", "vite | npm | npm run dev | 5173", []string{"npm", "create", "vite@latest", "made", "--", "--template", "react-ts", "--no-interactive"}},
	{"vite-svelte-ts", "vite | npm | npm run dev | 5173", []string{"npm", "create", "vite@latest", "made", "--", "--template", "svelte-ts", "--no-interactive"}},
	{"vite-vue", "vite | npm | npm run dev | 5173", []string{"npm", "create", "vite@latest", "made", "--", "--template", "vue", "--no-interactive"}},
	{"next", "nextjs | pnpm | pnpm run dev | 3000", []string{
		"npx", "create-next-app@latest", "made", "--ts", "--app", "--eslint", "--tailwind", "--src-dir", "--import-alias", "@/*", "--skip-install",
		"--disable-git", "--use-pnpm", "--yes",
	}},
	{"sveltekit", "sveltekit | npm | npm run dev | 5173", []string{"npx", "sv", "create", "made", "--template", "minimal", "--types", "ts", "--no-add-ons", "--no-install"}},
	{"angular", "angular | npm | npm run start | 4200", []string{"npx", "-p", "@angular/cli", "ng", "new", "made", "--skip-install", "--skip-git", "--defaults"}},
	{"nest", "nestjs | npm | npm run start:dev | 3000", []string{"npx", "-p", "@nestjs/cli", "nest", "new", "made", "--skip-install", "--skip-git", "--package-manager", "npm"}},
	{"express", "express | npm | npm run start | 3000", []string{"npx", "express-generator", "--no-view", "made"}},
	{"fastify", "fastify | npm | npm run dev | 3000", []string{"npx", "fastify-cli", "generate", "made"}},
	{"tauri", "tauri | npm | npm run tauri dev | 1420", []string{"npm", "create", "tauri-app@latest", "made", "--", "--template", "vanilla-ts", "--manager", "npm", "--yes"}},
	{"electron-vite", "electron | npm | npm run dev | 5173", []string{"npm", "create", "@quick-start/electron", "made", "--", "--template", "react-ts", "--skip"}},
	{"docusaurus", "docusaurus | npm | npm run start | 3000", []string{"npx", "create-docusaurus@latest", "made", "classic", "--skip-install", "--javascript"}},
	{"ember", "ember | npm | npm run start | 4200", []string{"npx", "ember-cli@latest", "new", "made", "--skip-npm", "--skip-git"}},
	{"expo", "expo | npm | npm run start | 8081", []string{"npx", "create-expo-app@latest", "made", "--template", "blank", "--no-install"}},
	{"cargo", "rust | cargo | cargo run | ", []string{"cargo", "new", "--vcs", "none", "made"}},
	{"cargo-lib", "rust | cargo |  | ", []string{"cargo", "new", "--lib", "--vcs", "none", "made"}},
	{"uv", "python | uv | uv run made | ", []string{"uv", "init", "--package", "--vcs", "none", "made"}},
	{"poetry", "python | poetry |  | ", []string{"poetry", "new", "made"}},
	{"django", "django | pip | python manage.py runserver | 8000", []string{"django-admin", "startproject", "made"}},
	{"scrapy", "scrapy |  |  | ", []string{"scrapy", "startproject", "made"}},
	{"go", "go | go | go run . | ", []string{"sh", "-c", "mkdir made && cd made && go mod init example.com/made && echo 'package main' >main.go"}},
	{"npm-init", "node | npm |  | ", []string{"sh", "-c", "mkdir made && cd made && npm init -y"}},
	{"next-api", "nextjs | npm | npm run dev | 3000", byShell("npx create-next-app@latest made --api --ts --skip-install --disable-git --use-npm --yes")},
	{"vite-deno", "vite | deno | deno task dev | 5173", byShell("npx create-vite-extra@latest made --template deno-react-ts")},
	{"vite-ssr", "express | npm | npm run dev | 5173", byShell("npx create-vite-extra@latest made --template ssr-react-ts")},
	{"vue-full", "vite | npm | npm run dev | 5173", byShell("npm create vue@latest made -- --ts --router --pinia --vitest --playwright --eslint-with-prettier")},
	{"svelte-library", "sveltekit | npm | npm run dev | 5173", byShell("npx sv create made --template library --types ts --no-add-ons --no-install")},
	{"t3", "nextjs | npm | npm run dev | 3000", byShell("npx create-t3-app@latest made --CI --noInstall --noGit --prisma --tailwind --trpc --appRouter")},
	{"tanstack-router", "vite | npm | npm run dev | 3000", byShell("npx @tanstack/cli@latest create made --router-only --no-install --no-git -y")},
	{"fastify-ts", "fastify | npm | npm run dev | 3000", byShell("npx fastify-cli generate made --lang=ts")},
	{"qwik", "qwik | npm | npm run dev | 5173", byShell("npm create qwik@latest empty made")},
	{"hydrogen", "hydrogen | npm | npm run dev | 3000", byShell("npm create @shopify/hydrogen@latest -- --path made --quickstart --no-install-deps --no-git")},
	{"tauri-pnpm", "tauri | pnpm | pnpm run tauri dev | 1420", byShell("npm create tauri-app@latest made -- --template react-ts --manager pnpm --yes")},
	{"tauri-yew", "tauri | cargo | cargo tauri dev | 1420", byShell("npm create tauri-app@latest made -- --template yew --manager cargo --yes")},
	{"cdk", "aws-cdk | npm | npm run watch | ", byShell("mkdir made && cd made && npx aws-cdk init app --language typescript --generate-only")},
	{"cdk-python", "aws-cdk | pip |  | ", byShell("mkdir made && cd made && npx aws-cdk init app --language python --generate-only")},
	{"rush", "rush | pnpm |  | ", byShell("mkdir made && cd made && npx @microsoft/rush init")},
	{"npm-workspaces", "node | npm |  | ", byShell("mkdir made && cd made && npm init -y && npm init -y -w packages/a && npm init -y -w packages/b")},
	{"cargo-workspace", "rust | cargo | cargo run | ", byShell(`mkdir made && cd made && printf '[workspace]\nresolver = "3"\nmembers = ["crates/*"]\n' >Cargo.toml &&
		mkdir crates && cargo new --vcs none crates/tool && cargo new --vcs none --lib crates/core`)},
	{"go-server", "go | go | go run . | ", byShell("mkdir made && cd made && go mod init example.com/made && echo 'package main' >server.go")},
	{"go-library", "go | go |  | ", byShell("mkdir made && cd made && go mod init example.com/made && echo 'package made' >made.go")},
	{"go-work", "go | go | go run ./api | ", byShell(`mkdir -p made/api made/lib && cd made && (cd api && go mod init ex.com/api && echo 'package main' >main.go) &&
		(cd lib && go mod init ex.com/lib && echo 'package lib' >lib.go) && go work init ./api ./lib`)},
	{"maven", "java-maven | maven |  | ", byShell("mvn -q -B archetype:generate -DarchetypeGroupId=org.apache.maven.archetypes -DarchetypeArtifactId=maven-archetype-quickstart " +
		"-DarchetypeVersion=1.5 -DgroupId=g -DartifactId=made")},
	{"wagtail", "wagtail | pip | python manage.py runserver | 8000", byShell("wagtail start made")},
	{"pdm", "python | pdm |  | ", byShell("mkdir made && cd made && pdm init -n")},
	{"hatch", "python | hatch |  | ", byShell("hatch new made")},
	{"mkdocs", "mkdocs |  | mkdocs serve | 8000", byShell("mkdocs new made")},
	{"sphinx", "sphinx |  |  | ", byShell("sphinx-quickstart -q --sep -p made -a a -v 1 made")},
	{"kedro", "kedro | pip | kedro run | ", byShell("kedro new --name made --tools none --example no --telemetry no")},
	{"ansible", "ansible |  |  | ", byShell("ansible-galaxy init made")},
	{"meson", "cpp-meson |  |  | ", byShell("mkdir made && cd made && meson init --language cpp --name made")},
	{"conan", "cpp-cmake | conan |  | ", byShell("mkdir made && cd made && conan new cmake_exe -d name=made -d version=1.0")},
	{"gem", "ruby | bundler |  | ", byShell("bundle gem made --no-git --no-mit --no-coc --test=rspec --ci=none")},
	{"jekyll", "jekyll | bundler | bundle exec jekyll serve | 4000", byShell("jekyll new made --skip-bundle")},
	{"mix", "elixir | mix |  | ", byShell("mix new made")},
	{"mix-supervised", "elixir | mix | mix run --no-halt | ", byShell("mix new --sup made")},
	{"rebar3", "erlang | rebar3 | rebar3 shell | ", byShell("rebar3 new app made")},
	{"dub", "d | dub | dub run | ", byShell("dub init -n made")},
	{"crystal", "crystal | shards | shards run made | ", byShell("crystal init app made")},
	{"hugo", "hugo |  | hugo server | 1313", byShell("hugo new site made")},
}

func byShell(line string) []string { return []string{"sh", "-c", line} }

// Fresh output of framework generators is recognised by its main stack, package manager, dev command
// and port. A missing generator, or one that cannot download its files, is skipped with the reason.
func TestStressGenerators(t *testing.T) {
	if os.Getenv("DEVTOOLS_STRESS") == "" {
		t.Skip("it fetches generators and takes minutes: DEVTOOLS_STRESS=1 runs it")
	}
	for _, g := range generators {
		t.Run(g.name, func(t *testing.T) {
			dir := t.TempDir()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, g.command[0], g.command[1:]...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "CI=1", "npm_config_yes=true", "NG_CLI_ANALYTICS=false", "NEXT_TELEMETRY_DISABLED=1", "DO_NOT_TRACK=1")
			cmd.WaitDelay = time.Second
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Skipf("%v: %.300s", err, out)
			}
			made := filepath.Join(dir, "made")
			lay(t, made, repository...)
			got := gist(detect(t, made))
			t.Log(got)
			if words(got) != words(g.want) {
				t.Errorf("found  %s\nwanted %s", got, g.want)
			}
		})
	}
}
