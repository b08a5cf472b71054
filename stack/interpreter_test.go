package stack

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// lay makes files below dir. A file below a folder called bin or .bin is a program.
func lay(t testing.TB, dir string, files ...string) {
	t.Helper()
	for _, file := range files {
		name, content, _ := strings.Cut(file, "=")
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasSuffix(filepath.Dir(name), "bin") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// need returns the path of a program that the test needs. On CI a missing program fails the test.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed, see .ci/run", program)
		}
		t.Skipf("%s is not installed", program)
	}
	return path
}

// machine returns a machine with programs in /usr/bin and variables. node is the version of node.
func machine(programs, node string, env ...string) Machine {
	return Machine{
		Look: func(program string) (string, bool) {
			return "/usr/bin/" + program, slices.Contains(strings.Fields(programs), program)
		},
		Getenv: func(name string) string {
			for _, e := range env {
				if value, ok := strings.CutPrefix(e, name+"="); ok {
					return value
				}
			}
			return ""
		},
		Version: func(string) string { return node },
	}
}

func TestInterpreter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the table has the paths of Unix")
	}
	const tsNode = `--transpile-only --compiler-options {"module":"commonjs","esModuleInterop":true}`
	const all = "python3 python uv node deno bun tsx ts-node ruby bash sh"
	for _, test := range []struct {
		name   string
		lang   string
		files  []string // in the root of the workspace, which is ROOT; the script's folder is ROOT/a/b
		on     Machine
		argv   string
		ext    string
		reason string
	}{
		{"plain", "python", nil, machine(all, ""), "/usr/bin/python3", ".py", "python3 on PATH"},
		{"only python", "python", nil, machine("python", ""), "/usr/bin/python", ".py", "python on PATH"},
		{"venv here", "python", append(repository, "a/b/.venv/bin/python"), machine(all, ""), "ROOT/a/b/.venv/bin/python", ".py", "the workspace's .venv"},
		{"venv above", "python", append(repository, "venv/bin/python"), machine(all, ""), "ROOT/venv/bin/python", ".py", "the workspace's venv"},
		{"nearest venv", "python", append(repository, ".venv/bin/python", "a/venv/bin/python"), machine(all, ""), "ROOT/a/venv/bin/python", ".py", "the workspace's venv"},
		{"venv above .git", "python", []string{"a/.git/HEAD", "a/.git/objects/x", "a/.git/refs/x", ".venv/bin/python"}, machine(all, ""), "/usr/bin/python3", ".py", "python3 on PATH"},
		{".git is a file", "python", []string{"a/.git=gitdir: ../git\n", "git/HEAD", "git/objects/x", "git/refs/x", ".venv/bin/python"}, machine(all, ""), "/usr/bin/python3", ".py", "python3 on PATH"},
		{"venv above what is no .git", "python", []string{"a/.git/HEAD", ".venv/bin/python"}, machine(all, ""), "ROOT/.venv/bin/python", ".py", "the workspace's .venv"},
		{"venv without .git", "python", []string{".venv/bin/python"}, machine(all, ""), "ROOT/.venv/bin/python", ".py", "the workspace's .venv"},
		{"venv before VIRTUAL_ENV", "python", []string{".venv/bin/python", "other/bin/python"}, machine(all, "", "VIRTUAL_ENV=ROOT/other"), "ROOT/.venv/bin/python", ".py", "the workspace's .venv"},
		{"VIRTUAL_ENV", "python", []string{"other/bin/python"}, machine(all, "", "VIRTUAL_ENV=ROOT/other"), "ROOT/other/bin/python", ".py", "VIRTUAL_ENV"},
		{"VIRTUAL_ENV is gone", "python", nil, machine(all, "", "VIRTUAL_ENV=ROOT/other"), "/usr/bin/python3", ".py", "python3 on PATH"},
		{"broken venv", "python", []string{".venv/pyvenv.cfg", ".venv/bin/python/x"}, machine(all, ""), "/usr/bin/python3", ".py", "python3 on PATH; ROOT/.venv has no python that can be executed"},
		{"uv.lock", "python", []string{"a/uv.lock", ".venv/bin/python"}, machine(all, ""), "/usr/bin/uv run --quiet --project ROOT/a python", ".py", "the workspace's uv.lock"},
		{"uv in pyproject", "python", []string{"a/pyproject.toml=[project]\n[tool.uv.sources]\n"}, machine(all, ""), "/usr/bin/uv run --quiet --project ROOT/a python", ".py", "the workspace's pyproject.toml"},
		{"a venv of a uv workspace", "python", []string{"a/pyproject.toml=[[tool.uv.index]]\n", "uv.lock", ".venv/bin/python"}, machine(all, ""), "ROOT/.venv/bin/python", ".py", "the workspace's .venv"},
		{"no uv in pyproject", "python", []string{"a/pyproject.toml=[tool.uvx]\n# [tool.uv]\n"}, machine(all, ""), "/usr/bin/python3", ".py", "python3 on PATH"},
		{"uv is missing", "python", []string{"a/uv.lock"}, machine("python3", ""), "/usr/bin/python3", ".py", "python3 on PATH; ROOT/a/uv.lock asks for uv, which is not on PATH"},

		{"tsx of the workspace", "typescript", []string{"node_modules/.bin/tsx", "node_modules/.bin/ts-node", "deno.json"}, machine(all, ""), "ROOT/node_modules/.bin/tsx", ".ts", "the workspace's tsx"},
		{"ts-node of the workspace", "typescript", []string{"a/node_modules/.bin/ts-node", "node_modules/.bin/tsx"}, machine(all, ""), "ROOT/a/node_modules/.bin/ts-node " + tsNode, ".ts", "the workspace's ts-node"},
		{"deno.jsonc", "typescript", []string{"deno.jsonc"}, machine(all, ""), "/usr/bin/deno run --allow-all --config ROOT/deno.jsonc", ".ts", "the workspace's deno.jsonc"},
		{"bun.lockb", "typescript", []string{"bun.lockb"}, machine(all, ""), "/usr/bin/bun run", ".ts", "the workspace's bun.lockb"},
		{"bun is missing", "typescript", []string{"bun.lock", "bunfig.toml"}, machine("tsx", ""), "/usr/bin/tsx", ".ts", "tsx on PATH; ROOT/bun.lock asks for bun, which is not on PATH"},
		{"tsx", "typescript", nil, machine(all, ""), "/usr/bin/tsx", ".ts", "tsx on PATH"},
		{"deno", "typescript", nil, machine("deno bun ts-node node", ""), "/usr/bin/deno run --allow-all", ".ts", "deno on PATH"},
		{"bun", "typescript", nil, machine("bun ts-node node", ""), "/usr/bin/bun run", ".ts", "bun on PATH"},
		{"ts-node", "typescript", nil, machine("ts-node node", "v24.3.0"), "/usr/bin/ts-node " + tsNode, ".ts", "ts-node on PATH"},
		{"node 22.6", "typescript", nil, machine("node", "v22.6.0\n"), "/usr/bin/node --experimental-strip-types --disable-warning=ExperimentalWarning", ".ts", "node 22.6 strips types"},
		{"node 22.18", "typescript", nil, machine("node", "v22.18.0"), "/usr/bin/node", ".ts", "node 22.18 strips types"},
		{"node 23.5", "typescript", nil, machine("node", "v23.5.0"), "/usr/bin/node --experimental-strip-types --disable-warning=ExperimentalWarning", ".ts", "node 23.5 strips types"},
		{"node 23.6", "typescript", nil, machine("node", "v23.6.1"), "/usr/bin/node --disable-warning=ExperimentalWarning", ".ts", "node 23.6 strips types"},
		{"node 24.3", "typescript", nil, machine("node", "v24.3.0"), "/usr/bin/node", ".ts", "node 24.3 strips types"},
		{"node 26", "typescript", nil, machine("node", "v26.0.0-nightly"), "/usr/bin/node", ".ts", "node 26.0 strips types"},

		{"node", "javascript", nil, machine(all, "v22.7.0"), "/usr/bin/node", ".js", "node on PATH"},
		{"node 20", "javascript", nil, machine(all, "v20.19.0"), "/usr/bin/node", ".js", "node on PATH"},
		{"old node", "javascript", nil, machine(all, "v21.7.3"), "/usr/bin/node", ".mjs", "node on PATH"},
		{"node of no version", "javascript", nil, machine(all, "?"), "/usr/bin/node", ".mjs", "node on PATH"},
		{"javascript for deno", "javascript", []string{"deno.json"}, machine(all, ""), "/usr/bin/deno run --allow-all --config ROOT/deno.json", ".mjs", "the workspace's deno.json"},
		{"javascript for bun", "javascript", []string{"bun.lock"}, machine(all, ""), "/usr/bin/bun run", ".js", "the workspace's bun.lock"},
		{"javascript without node", "javascript", nil, machine("bun", ""), "/usr/bin/bun run", ".js", "bun on PATH"},

		{"ruby", "ruby", nil, machine(all, ""), "/usr/bin/ruby", ".rb", "ruby on PATH"},
		{"bash", "shell", nil, machine(all, ""), "/usr/bin/bash", ".sh", "bash on PATH"},
		{"sh", "shell", nil, machine("sh", ""), "/usr/bin/sh", ".sh", "sh on PATH"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			lay(t, root, append(test.files, "a/b/here")...)
			getenv := test.on.Getenv
			test.on.Getenv = func(name string) string { return strings.ReplaceAll(getenv(name), "ROOT", root) }
			got, err := Interpreter(test.lang, filepath.Join(root, "a", "b"), test.on)
			if err != nil {
				t.Fatal(err)
			}
			if argv := strings.ReplaceAll(strings.Join(got.Argv, " "), root, "ROOT"); argv != test.argv {
				t.Errorf("argv is %q, want %q", argv, test.argv)
			}
			if reason := strings.ReplaceAll(got.Reason, root, "ROOT"); reason != test.reason || got.Ext != test.ext {
				t.Errorf("extension %s because of %q, want %s, %q", got.Ext, reason, test.ext, test.reason)
			}
		})
	}
}

func TestNoInterpreter(t *testing.T) {
	root := t.TempDir()
	lay(t, root, append(repository, "a/here")...)
	dir := filepath.Join(root, "a")
	for _, test := range []struct {
		lang string
		on   Machine
		want string
	}{
		{"python", machine("", ""), "no interpreter for python: looked for .venv and venv in DIR/a and above up to DIR, python3 on PATH, python on PATH; install python3, or make a .venv (uv venv, python3 -m venv .venv)"},
		{"python", machine("", "", "VIRTUAL_ENV=/nowhere"), "no interpreter for python: looked for .venv and venv in DIR/a and above up to DIR, VIRTUAL_ENV=/nowhere, python3 on PATH, python on PATH; install python3, or make a .venv (uv venv, python3 -m venv .venv)"},
		{"typescript", machine("node", "v20.20.2"), "no interpreter for typescript: looked for node_modules/.bin/tsx and ts-node in DIR/a and above up to DIR, tsx on PATH, deno on PATH, bun on PATH, ts-node on PATH, node 22.6 or later on PATH (it is 20.20); npm install --save-dev tsx, or install node 22.18, deno or bun"},
		{"typescript", machine("", ""), "no interpreter for typescript: looked for node_modules/.bin/tsx and ts-node in DIR/a and above up to DIR, tsx on PATH, deno on PATH, bun on PATH, ts-node on PATH, node 22.6 or later on PATH; npm install --save-dev tsx, or install node 22.18, deno or bun"},
		{"javascript", machine("", ""), "no interpreter for javascript: looked for node on PATH, deno on PATH, bun on PATH; install node, deno or bun"},
		{"ruby", machine("", ""), "no interpreter for ruby: looked for ruby on PATH; install ruby"},
		{"shell", machine("", ""), "no interpreter for shell: looked for bash on PATH, sh on PATH; install bash"},
	} {
		_, err := Interpreter(test.lang, dir, test.on)
		if !errors.Is(err, ErrNoInterpreter) || strings.ReplaceAll(err.Error(), root, "DIR") != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	_, err := Interpreter("cobol", dir, machine("cobol", ""))
	if want := `unknown language "cobol": use one of python, typescript, javascript, ruby, shell`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A workspace ends below the home folder, and below a folder that everybody can write to.
func TestWorkspaceEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of Unix")
	}
	root := t.TempDir()
	lay(t, root, "open/a/b/here", "home/a/here", "open/.venv/bin/python", "home/.venv/bin/python")
	if err := os.Chmod(filepath.Join(root, "open"), 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(root, "home"))
	for dir, want := range map[string]string{
		"open/a/b": "/usr/bin/python3", "open": filepath.Join(root, "open/.venv/bin/python"),
		"home/a": "/usr/bin/python3", "home": filepath.Join(root, "home/.venv/bin/python"),
	} {
		got, err := Interpreter("python", filepath.Join(root, dir), machine("python3", ""))
		if err != nil || got.Argv[0] != want {
			t.Errorf("in %s: %v, %v, want %s", dir, got.Argv, err, want)
		}
	}
}

// real returns the machine that the test runs on.
func real() Machine {
	return Machine{
		Look: func(program string) (string, bool) {
			path, err := exec.LookPath(program)
			return path, err == nil
		},
		Getenv: os.Getenv,
		Version: func(path string) string {
			out, _ := exec.Command(path, "--version").Output()
			return string(out)
		},
	}
}

// A script outside the folder runs in it with the interpreter for this machine.
func TestRun(t *testing.T) {
	for _, test := range []struct {
		name, lang, program string
		always              bool // CI has the program
		code, want          string
	}{
		{"python", "python", "python3", true, "import sys, near\nprint(near.word, sys.argv[1:])", "here ['a b']"},
		{"import", "javascript", "node", false, "import os from 'os'\nconsole.log(typeof os.cpus, process.argv.slice(2), await 3)", "function [ 'a b' ] 3"},
		{"require", "javascript", "node", false, "const os = require('os')\nconsole.log(typeof os.cpus, process.argv.slice(2))", "function [ 'a b' ]"},
		{"typescript", "typescript", "", false, "const n: number = 3\nimport os from 'os'\nconsole.log(n, typeof os.cpus)", "3 function"},
		{"ruby", "ruby", "ruby", false, "puts ARGV.inspect", `["a b"]`},
		{"shell", "shell", "sh", true, `echo "$#" "$1"`, "1 a b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, state := t.TempDir(), t.TempDir()
			lay(t, dir, "near.py=word = 'here'\n")
			interp, err := Interpreter(test.lang, dir, real())
			switch {
			case test.always:
				need(t, test.program)
			case errors.Is(err, ErrNoInterpreter):
				t.Skip(err) // CI has none either
			}
			if err != nil {
				t.Fatal(err)
			}
			if test.name == "require" && interp.Ext == ".mjs" {
				t.Skip("this node does not detect modules")
			}
			script := filepath.Join(state, "script"+interp.Ext)
			if err := os.WriteFile(script, []byte(test.code), 0o600); err != nil {
				t.Fatal(err)
			}
			argv := append(interp.Argv, script, "a b")
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), interp.Env...)
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != test.want {
				t.Errorf("%q: %v, %q, want %q", argv, err, got, test.want)
			}
		})
	}
}

// The python of a real virtual environment finds its packages.
func TestRunVenv(t *testing.T) {
	python := need(t, "python3")
	dir := t.TempDir()
	venv := filepath.Join(dir, ".venv")
	if out, err := exec.Command(python, "-m", "venv", "--without-pip", venv).CombinedOutput(); err != nil {
		t.Skipf("python3 makes no virtual environment: %s", out)
	}
	interp, err := Interpreter("python", dir, real())
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(interp.Argv[0], "-c", "import sys; print(sys.prefix)").CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || !strings.HasSuffix(got, "/.venv") {
		t.Errorf("%q runs in %s, %v", interp.Argv, got, err)
	}
}
