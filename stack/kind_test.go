package stack

import (
	"strings"
	"testing"
)

// The kind of a script follows from what it runs. If that is unknown, its name decides.
func TestKinds(t *testing.T) {
	tree := map[string]string{
		"package.json": `{"name": "a", "devDependencies": {"typescript": "5"}, "scripts": {
			"start": "bunx prisma migrate deploy", "build": "webpack --watch", "dev": "next dev -p 3000", "lint": "tsc --noEmit",
			"test": "vitest", "serve": "npm run build:once", "build:once": "tsc", "storybook": "storybook dev -p 6006", "preview": "vite preview",
			"start:prod": "node server.js", "x": "frobnicate", "dev:other": "frobnicate", "test:watch": "jest --watch", "up": "docker compose up -d"}}`,
		"server.js": "require('http').createServer().listen(80)\n",
		"Makefile":  "run: all\n\tgo run ./cmd/x\nall:\n\tgo build ./...\nup:\n\t@echo up\n",
	}
	want := map[string]string{
		"npm start": "other oneshot medium", "npm build": "dev watcher high", "npm dev": "dev server high", "npm lint": "lint build high",
		"npm test": "test watch-if-tty high", "npm serve": "build build high", "npm build:once": "build build high",
		"npm storybook": "dev server high", "npm preview": "start server high", "npm start:prod": "start server low", "npm x": "other unknown low",
		"npm dev:other": "dev server low", "npm test:watch": "test watcher high", "npm up": "start oneshot high",
		"make run": "start unknown low", "make all": "build build high", "make up": "other oneshot high",
	}
	found := 0
	for _, c := range detect(t, layOut(t, tree, sorted(tree))).Projects[0].Commands {
		name := c.Argv[0] + " " + c.Name
		if want[name] == "" {
			continue
		}
		found++
		if got := strings.Join([]string{c.Kind, string(c.Class), c.Confidence}, " "); got != want[name] {
			t.Errorf("%s is %s, it is to be %s", name, got, want[name])
		}
	}
	if found != len(want) {
		t.Errorf("%d commands, there are to be %d", found, len(want))
	}
}

// The dev command serves, whatever its name. A server on the side is not the dev command.
func TestDevCommandServes(t *testing.T) {
	for scripts, want := range map[string]string{
		`"start": "prisma migrate deploy", "web": "vite --port 3000"`:        "npm run web",
		`"storybook": "storybook dev", "build": "vite build"`:                "npx vite",
		`"local": "vite --port 3000", "build": "vite build"`:                 "npm run local",
		`"preview": "vite preview", "dev": "vite"`:                           "npm run dev",
		`"dev": "npm run build && npm run serve:x", "serve:x": "vite serve"`: "npm run dev",
	} {
		tree := map[string]string{"package.json": `{"scripts": {` + scripts + `}, "devDependencies": {"vite": "6"}}`}
		got := ""
		if c := detect(t, layOut(t, tree, sorted(tree))).Projects[0].DevCommand; c != nil {
			got = strings.Join(c.Argv, " ")
		}
		if got != want {
			t.Errorf("{%s}: %q, want %q", scripts, got, want)
		}
	}
}
