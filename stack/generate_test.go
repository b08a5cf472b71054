package stack

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// generators make workspaces in a folder called "made" of their working directory. What is wanted is the gist of a report.
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
}

// What the generators of frameworks make today is known by its main stack, its package manager, its dev command and its
// port. A generator that is not here, or that does not get what it fetches, is passed over with the reason.
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
			if err := os.Mkdir(filepath.Join(made, ".git"), 0o777); err != nil {
				t.Fatal(err)
			}
			got := gist(detect(t, made))
			t.Log(got)
			if words(got) != words(g.want) {
				t.Errorf("found  %s\nwanted %s", got, g.want)
			}
		})
	}
}
