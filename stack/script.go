package stack

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"devtools/stack/line"
)

// A judge classifies one command line. It reads files below one folder only, and not many.
type judge struct {
	top    string // the workspace's folder
	dir    string // where the line runs
	root   *os.Root
	files  map[string][]byte
	active []string // the scripts that are being followed
	count  int      // the lines that were classified
}

// The bounds of what is read.
const (
	mostFiles    = 200
	mostManifest = 1 << 20
	mostCode     = 64 << 10
)

// newJudge returns a judge for lines that run in dir; with dir "" it reads nothing.
func newJudge(dir string) *judge {
	j := &judge{files: map[string][]byte{}}
	if dir == "" {
		return j
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return j
	}
	j.dir = dir
	levels := workspace(dir)
	j.top = levels[len(levels)-1]
	j.root, _ = os.OpenRoot(j.top) // a folder that cannot be opened has no scripts
	return j
}

func (j *judge) close() {
	if j.root != nil {
		_ = j.root.Close()
	}
}

// read returns the beginning of a file of the workspace, nil if it is not there or no file. A link that leads out of
// the workspace is not followed.
func (j *judge) read(name string, most int64) []byte {
	if text, ok := j.files[name]; ok {
		return text
	}
	if j.root == nil || len(j.files) >= mostFiles {
		return nil
	}
	text := j.open(name, most)
	j.files[name] = text
	return text
}

func (j *judge) open(name string, most int64) []byte {
	below, err := filepath.Rel(j.top, name)
	if err != nil || !filepath.IsLocal(below) {
		return nil
	}
	if info, err := j.root.Stat(below); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := j.root.OpenFile(below, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe meanwhile
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil
	}
	return bytes.TrimPrefix(text, []byte("\ufeff"))
}

// upward returns the nearest of some files in dir and the folders above it.
func (j *judge) upward(dir string, names ...string) (path string, text []byte) {
	for range mostLevels {
		if dir == "" {
			break
		}
		for _, name := range names {
			if text := j.read(filepath.Join(dir, name), mostManifest); text != nil {
				return filepath.Join(dir, name), text
			}
		}
		if dir == j.top || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return "", nil
}

// follow classifies the text of a script; key tells it from all others.
func (j *judge) follow(key, text, dir string, at spot) finding {
	switch {
	case slices.Contains(j.active, key):
		return unknown("the script " + quoted(at.text) + " runs itself")
	case at.depth >= mostScripts:
		return unknown("the script " + quoted(at.text) + " is too deep to follow")
	}
	j.active = append(j.active, key)
	defer func() { j.active = j.active[:len(j.active)-1] }()
	f := j.line(text, spot{dir: dir, fed: at.fed, depth: at.depth + 1})
	f.resolved = true
	return f
}

// all merges what several scripts do that run one after the other or at a time.
func all(findings []finding) finding {
	f := merge(findings)
	f.resolved = true
	if len(findings) > 1 {
		f.bounded = ""
	}
	return f
}

// guess is the finding for a script that cannot be found: its name may tell.
func (j *judge) guess(name, where string, at spot) finding {
	class := nameClass(name)
	if class == Unknown {
		return unknown(quoted(at.text) + ": " + where)
	}
	f := byName(class, at.text, "its name")
	f.reason += ", for " + where
	return f
}

// named breaks a finding that knows nothing by the script's name.
func named(f finding, name string, at spot) finding {
	if f.class != Unknown {
		return f
	}
	class := nameClass(name)
	if class == Unknown {
		return f
	}
	guess := byName(class, at.text, "its name")
	guess.chain, guess.resolved = f.chain, f.resolved
	guess.reason += ", for " + f.reason
	return guess
}

// script classifies a rule's script of the workspace.
func (j *judge) script(verb string, rest []string, in *invocation, args []line.Word, start, next int, at spot) finding {
	if verb == "procfile" {
		return j.procfile(in, args[min(next, len(args)):], at)
	}
	kind := rest[0]
	var words []line.Word
	for i, arg := range args {
		if i > next || i >= next && verb != "named" {
			words = append(words, arg)
		}
	}
	name := ""
	if next < len(args) {
		name = args[next].Text
		if args[next].Open && verb != "scripts" {
			return unknown(quoted(at.text) + " runs a script whose name is a variable")
		}
		if verb != "named" {
			words = words[1:]
		}
	}
	switch kind {
	case "npm", "bun", "node-run", "deno":
		if verb == "scripts" {
			return j.npmScripts(args[start+1:], at)
		}
		return j.npm(kind, name, words, in, args, next, at)
	case "yarn-workspace", "yarn-foreach", "workspaces":
		return j.everywhere(kind, name, words, in, at)
	case "turbo", "nx", "nx-many", "nx-target", "moon":
		return j.graph(kind, name, words, in, at)
	case "make":
		return j.makefile(in, at)
	case "just", "task", "mise", "devbox", "composer", "cargo", "python":
		return j.task(kind, name, words, in, args, next, at)
	}
	return unknown(quoted(at.text) + ": nothing is known of scripts of " + kind)
}

// value returns the value of one of some flags that stand before the end of the program's own flags.
func (in *invocation) value(flags ...string) string {
	for i, arg := range in.args[:in.flags] {
		for _, flag := range flags {
			if value, ok := strings.CutPrefix(arg.Text, flag+"="); ok {
				return value
			}
			if arg.Text == flag && i+1 < len(in.args) {
				return in.args[i+1].Text
			}
		}
	}
	return ""
}

// has reports whether one of some flags is there.
func (in *invocation) has(flags ...string) bool {
	return slices.ContainsFunc(in.args[:in.flags], func(w line.Word) bool { return slices.Contains(flags, w.Text) })
}

// in returns a folder that is named from dir.
func within(dir, name string) string {
	if name == "" || dir == "" || filepath.IsAbs(name) {
		return dir
	}
	return filepath.Join(dir, name)
}
