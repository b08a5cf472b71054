package stack

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"devtools/stack/files"
)

// layFile writes one file into a folder, and the folders above it.
func layFile(t *testing.T, folder, name string, data []byte) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A workspace with any manifest of any content gives a report. It names ports that exist, and commands that have a program.
func FuzzManifests(f *testing.F) {
	names := slices.Sorted(maps.Keys(readers()))
	for i, name := range names {
		text := "x: 1\n"
		switch filepath.Ext(name) {
		case ".json":
			text = `{"name":"x","version":"1","scripts":{"dev":"vite --port 4000"},"dependencies":{"vite":"1"},"tasks":{"a":"b"}}`
		case ".toml":
			text = "[project]\nname = 'x'\ndependencies = ['flask>=1']\n[tool.poetry.dependencies]\ndjango = '*'\n[package]\nname = 'x'\n"
		case ".yml", ".yaml":
			text = "services: {a: {image: b, ports: ['80:80', {published: 1, target: 2}]}}\ntasks: {a: {cmds: [b]}}\n"
		case ".mod":
			text = "module x\ngo 1.26\nrequire github.com/gin-gonic/gin v1.0.0\n"
		case ".xml", ".csproj":
			text = "<project><dependencies><dependency><groupId>a</groupId></dependency></dependencies></project>"
		}
		f.Add(uint16(i), []byte(text), []byte(`app.listen(3000); port = 80`))
	}
	f.Fuzz(func(t *testing.T, which uint16, manifest, code []byte) {
		folder := t.TempDir()
		name := names[int(which)%len(names)]
		layFile(t, folder, strings.ReplaceAll(name, "*", "x"), manifest)
		for _, source := range []string{"server.js", "main.go", "app.py", "src/main.rs"} {
			layFile(t, folder, source, code)
		}
		report, err := Detect(t.Context(), Options{Dir: folder, Home: folder, System: "linux"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := json.Marshal(report); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, p := range report.Projects {
			for _, port := range p.Ports {
				if port.Port < 1 || port.Port > 65535 {
					t.Errorf("%s: %+v", name, port)
				}
			}
			for _, c := range p.Commands {
				if len(c.Argv) == 0 || c.Argv[0] == "" {
					t.Errorf("%s: %+v", name, c)
				}
			}
		}
	})
}

// The definitions of a workspace that are accepted can be used, and those that are not do not cost those of devtools.
func FuzzDefinitions(f *testing.F) {
	f.Add([]byte("[[stack]]\nid = 'ours'\nkind = 'framework'\nfiles = ['*.x', 'a/b']\ncontent = [{file = 'go.mod', match = 'x'}]\ndev = '{exec} a {entry:a.py,b.py} | {if:x} y'\nports = [80]\n"))
	f.Add([]byte("[[stack]]\nid = 'vite'\nsupersedes = ['node']\nready = ['(a+)+']\ndevServerRules = [{match = 'a', unless = 'b'}]\n"))
	folder := f.TempDir()
	for name, text := range map[string]string{"package.json": `{"name":"a","dependencies":{"vite":"1"}}`, "x.x": "x", "go.mod": "module x\n", "a.py": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := Detect(t.Context(), Options{Dir: folder, Home: folder, System: "linux", Own: Own{File: "stacks.toml", Data: data}})
		if err != nil {
			t.Fatal(err)
		}
		own, err := ParseDefinitions(data)
		if err == nil {
			_, err = Override(Definitions(), own)
		}
		told := slices.ContainsFunc(report.Problems, func(p files.Problem) bool { return p.File == "stacks.toml" })
		if len(data) > 0 && told != (err != nil) {
			t.Errorf("%q: %v, the report tells it: %v", data, err, told)
		}
		if err != nil && len(report.Projects) == 0 {
			t.Errorf("%q: nothing is found any more", data)
		}
	})
}

// A command that runs files of the workspace gets a class and a reason, whatever is in them, also if they run each other.
func FuzzScripts(f *testing.F) {
	f.Add("#!/bin/sh\nexec vite\n", `{"scripts":{"dev":"npm run a","a":"npm run dev"}}`, "dev:\n\t$(MAKE) dev\n")
	f.Add("#!/usr/bin/env -S node x\n. ./x.sh\n", `{"scripts":{"dev":"./x.sh & wait"}}`, "include x.sh\nA=$(A)\ndev: a\na: dev\n")
	f.Fuzz(func(t *testing.T, script, manifest, makefile string) {
		folder := t.TempDir()
		layFile(t, folder, "x.sh", []byte(script))
		layFile(t, folder, "x.js", []byte(script))
		layFile(t, folder, "package.json", []byte(manifest))
		layFile(t, folder, "Makefile", []byte(makefile))
		for _, command := range []string{"sh ./x.sh", "./x.sh", "node x.js", "npm run dev", "make dev"} {
			if v := Classify(command, folder); v.Reason == "" || v.Class == "" {
				t.Errorf("%s: %+v", command, v)
			}
		}
	})
}

// A version that is found in a lock file stands there, and is short.
func FuzzLocked(f *testing.F) {
	f.Add([]byte(`"node_modules/vite": {"version": "5.1.0"}`+"\nname = \"vite\"\nversion = \"v2\"\n    vite (3)\n"), "vite")
	f.Add([]byte("\n\"vite@^1\":\n  version \"1.2\"\n\n      'vite':\n        specifier: 1\n        version: 1.0(x)\n"), "vite")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		for _, file := range []string{
			"bun.lock", "pnpm-lock.yaml", "yarn.lock", "package-lock.json", "uv.lock", "Pipfile.lock", "Gemfile.lock", "composer.lock", "mix.lock",
		} {
			if v := lockedIn(file, data, name); len(v) > 50 || !bytes.Contains(data, []byte(v)) {
				t.Errorf("%s: %q", file, v)
			}
		}
	})
}
