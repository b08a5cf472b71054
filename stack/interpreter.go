// Package stack detects what a workspace is made of, classifies command lines, and finds
// interpreters.
package stack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"devtools/ledger/regular"
)

// ErrNoInterpreter reports that the machine has nothing that runs code of a language.
var ErrNoInterpreter = errors.New("no interpreter")

// An Interp is an interpreter for a script, with its arguments.
type Interp struct {
	Argv   []string // the words before the script's path
	Ext    string   // the extension that the script's name needs: .py
	Env    []string // NAME=VALUE to set, so that the script imports modules as if it were in the folder
	Reason string   // why this one was chosen, for people: "the workspace's .venv"
}

// A Machine answers questions about the machine, and about the environment in which the script will
// run.
type Machine struct {
	Look    func(program string) (path string, ok bool) // finds a program on PATH
	Getenv  func(name string) string
	Version func(path string) string // what "path --version" prints, "" if it does not run; only asked of node
}

// languages are the languages by name. Each has the function that finds an interpreter, and tells
// how to get one.
var languages = []struct {
	name string
	find func(*search) (Interp, bool)
	get  string
}{
	{"python", python, "install python3, or make a .venv (uv venv, python3 -m venv .venv)"},
	{"typescript", typescript, "npm install --save-dev tsx, or install node 22.18, deno or bun"},
	{"javascript", javascript, "install node, deno or bun"},
	{"ruby", ruby, "install ruby"},
	{"shell", shell, "install bash"},
}

// Languages returns the names that [Interpreter] accepts.
func Languages() []string {
	var all []string
	for _, l := range languages {
		all = append(all, l.name)
	}
	return all
}

// Interpreter returns what runs a script of a language in the folder dir. It looks in the workspace
// first: in dir and the folders above it up to the nearest .git, the nearest first. Then it looks on
// the machine. If there is none, the error is [ErrNoInterpreter]. It says what Interpreter looked
// for, and how to get one.
func Interpreter(lang, dir string, m Machine) (Interp, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Interp{}, err
	}
	for _, l := range languages {
		if l.name != lang {
			continue
		}
		s := &search{Machine: m, dir: dir, levels: workspace(dir)}
		found, ok := l.find(s)
		if !ok {
			return Interp{}, fmt.Errorf("%w for %s: looked for %s; %s", ErrNoInterpreter, lang, strings.Join(s.looked, ", "), l.get)
		}
		found.Reason = strings.Join(append([]string{found.Reason}, s.notes...), "; ")
		return found, nil
	}
	return Interp{}, fmt.Errorf("unknown language %q: use one of %s", lang, strings.Join(Languages(), ", "))
}

// mostLevels is how far above a folder the search for its workspace goes.
const mostLevels = 64

// workspace returns dir and the folders above it up to the nearest repository. It stops where
// [regular.Above] does, and before each folder that everybody can write to, because a stranger
// could have put an interpreter there.
func workspace(dir string) []string {
	home, _ := os.UserHomeDir() // without a home there is no folder to stop before
	var levels []string
	for ; dir != "" && len(levels) < mostLevels; dir = regular.Above(dir, home) {
		if len(levels) > 0 && regular.OpenToAll(dir) {
			break
		}
		if levels = append(levels, dir); regular.Repository(dir) {
			break
		}
	}
	return levels
}

// A search is one search for an interpreter. For the error it keeps what it looked for, and for the
// reason what is not as the workspace asks.
type search struct {
	Machine
	dir    string
	levels []string
	looked []string
	notes  []string
}

// onPath finds the first of some programs on PATH.
func (s *search) onPath(programs ...string) (path, program string, ok bool) {
	for _, program := range programs {
		if path, ok := s.Look(program); ok {
			return path, program, true
		}
		s.looked = append(s.looked, program+" on PATH")
	}
	return "", "", false
}

// wanted finds a program that a file of the workspace asks for.
func (s *search) wanted(program, file string) (path string, ok bool) {
	path, ok = s.Look(program)
	if !ok {
		s.notes = append(s.notes, file+" asks for "+program+", which is not on PATH")
	}
	return path, ok
}

// python finds a virtual environment of the workspace, the activated one, that of uv, or the python
// of the machine.
func python(s *search) (Interp, bool) {
	interp := func(reason string, argv ...string) (Interp, bool) {
		path := s.dir
		if others := s.Getenv("PYTHONPATH"); others != "" {
			path += string(os.PathListSeparator) + others
		}
		return Interp{Argv: argv, Ext: ".py", Env: []string{"PYTHONPATH=" + path}, Reason: reason}, true
	}
	uv, hasUV := s.Look("uv")
	uvFile := ""
walk:
	for _, level := range s.levels {
		for _, name := range []string{".venv", "venv"} {
			venv := filepath.Join(level, name)
			if program := inVenv(venv); executable(program) {
				return interp("the workspace's "+name, program)
			}
			if exists(filepath.Join(venv, "pyvenv.cfg")) {
				s.notes = append(s.notes, venv+" has no python that can be executed")
			}
		}
		switch lock, project := filepath.Join(level, "uv.lock"), filepath.Join(level, "pyproject.toml"); {
		case uvFile != "":
		case exists(lock):
			uvFile = lock
			break walk // the project ends here, and so does its environment
		case mentionsUV(project):
			uvFile = project
		}
	}
	s.looked = append(s.looked, ".venv and venv in "+s.where())
	if venv := s.Getenv("VIRTUAL_ENV"); venv != "" {
		if program := inVenv(venv); executable(program) {
			return interp("VIRTUAL_ENV", program)
		}
		s.looked = append(s.looked, "VIRTUAL_ENV="+venv)
	}
	if uvFile != "" {
		if hasUV {
			return interp("the workspace's "+filepath.Base(uvFile), uv, "run", "--quiet", "--project", filepath.Dir(uvFile), "python")
		}
		s.notes = append(s.notes, uvFile+" asks for uv, which is not on PATH")
	}
	path, program, ok := s.onPath("python3", "python")
	if !ok {
		return Interp{}, false
	}
	return interp(program+" on PATH", path)
}

// inVenv returns the path of python in a virtual environment.
func inVenv(venv string) string { return filepath.Join(venv, venvPython) }

// mentionsUV reports whether a pyproject.toml has settings of uv: the table [tool.uv] or a table in
// it.
func mentionsUV(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return false
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimLeft(bytes.TrimSpace(line), "[ ")
		if bytes.HasPrefix(line, []byte("tool.uv]")) || bytes.HasPrefix(line, []byte("tool.uv.")) {
			return true
		}
	}
	return false
}

// The files that tell that a workspace is made for deno or for bun.
var (
	denoFiles = []string{"deno.json", "deno.jsonc"}
	bunFiles  = []string{"bun.lock", "bun.lockb", "bunfig.toml"}
)

// typescript finds the runtime that the workspace has installed or is made for, a runner on PATH, or
// node itself.
func typescript(s *search) (Interp, bool) {
	for _, level := range s.levels {
		for _, name := range []string{"tsx", "ts-node"} {
			program := filepath.Join(level, "node_modules", ".bin", name+commandSuffix)
			if executable(program) {
				return runner(program, name, "the workspace's "+name), true
			}
		}
		if found, ok := s.denoOrBun(level, ".ts"); ok {
			return found, true
		}
	}
	s.looked = append(s.looked, "node_modules/.bin/tsx and ts-node in "+s.where())
	path, program, ok := s.onPath("tsx", "deno", "bun", "ts-node")
	switch {
	case ok && program == "deno":
		return deno(path, "", ".ts", "deno on PATH"), true
	case ok && program == "bun":
		return bun(path, ".ts", "bun on PATH"), true
	case ok:
		return runner(path, program, program+" on PATH"), true
	}
	if path, ok := s.Look("node"); ok {
		v, text := s.nodeVersion(path)
		if argv := stripping(v); argv != nil {
			return Interp{Argv: append([]string{path}, argv...), Ext: ".ts", Reason: "node " + text + " strips types"}, true
		}
		s.looked = append(s.looked, "node 22.6 or later on PATH (it is "+text+")")
		return Interp{}, false
	}
	s.looked = append(s.looked, "node 22.6 or later on PATH")
	return Interp{}, false
}

// runner runs TypeScript with tsx or ts-node. As with the other runtimes, types are not checked.
// ts-node would check them by the settings above the script, and the script may lie elsewhere. Such
// settings may also tell it to leave import in the code, which node 20 refuses.
func runner(path, name, reason string) Interp {
	argv := []string{path}
	if name == "ts-node" {
		argv = append(argv, "--transpile-only", "--compiler-options", `{"module":"commonjs","esModuleInterop":true}`)
	}
	return Interp{Argv: argv, Ext: ".ts", Reason: reason}
}

// javascript finds the runtime that the workspace is made for, otherwise node.
func javascript(s *search) (Interp, bool) {
	for _, level := range s.levels {
		if found, ok := s.denoOrBun(level, ".mjs"); ok {
			return found, true
		}
	}
	path, program, ok := s.onPath("node", "deno", "bun")
	switch {
	case !ok:
		return Interp{}, false
	case program == "deno":
		return deno(path, "", ".mjs", "deno on PATH"), true
	case program == "bun":
		return bun(path, ".mjs", "bun on PATH"), true
	}
	ext := ".mjs"
	if v, _ := s.nodeVersion(path); v.detectsModules() {
		ext = ".js" // then the code may use require as well as import
	}
	return Interp{Argv: []string{path}, Ext: ext, Reason: "node on PATH"}, true
}

// denoOrBun returns the runtime whose files lie in a folder.
func (s *search) denoOrBun(level, ext string) (Interp, bool) {
	for _, name := range denoFiles {
		if config := filepath.Join(level, name); exists(config) {
			if path, ok := s.wanted("deno", config); ok {
				return deno(path, config, ext, "the workspace's "+name), true
			}
		}
	}
	for _, name := range bunFiles {
		if file := filepath.Join(level, name); exists(file) {
			if path, ok := s.wanted("bun", file); ok {
				return bun(path, ext, "the workspace's "+name), true
			}
			break
		}
	}
	return Interp{}, false
}

// deno runs a script with all permissions, as the other runtimes do: it would ask for them. It gets
// the configuration by name, because the script may lie elsewhere.
func deno(path, config, ext, reason string) Interp {
	argv := []string{path, "run", "--allow-all"}
	if config != "" {
		argv = append(argv, "--config", config)
	}
	return Interp{Argv: argv, Ext: ext, Reason: reason}
}

// bun accepts import and require in one file, whatever its name.
func bun(path, ext, reason string) Interp {
	if ext == ".mjs" {
		ext = ".js"
	}
	return Interp{Argv: []string{path, "run"}, Ext: ext, Reason: reason}
}

func ruby(s *search) (Interp, bool) {
	path, _, ok := s.onPath("ruby")
	return Interp{Argv: []string{path}, Ext: ".rb", Reason: "ruby on PATH"}, ok
}

func shell(s *search) (Interp, bool) {
	path, program, ok := s.onPath("bash", "sh")
	return Interp{Argv: []string{path}, Ext: ".sh", Reason: program + " on PATH"}, ok
}

// where returns the folders of the workspace for an error.
func (s *search) where() string {
	if len(s.levels) == 1 {
		return s.dir
	}
	return s.dir + " and above up to " + s.levels[len(s.levels)-1]
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// executable reports whether path is a file that anybody may execute.
func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && mayExecute(info)
}
