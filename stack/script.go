package stack

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"devtools/stack/files"
	"devtools/stack/line"
)

// A classifier classifies the command lines of one workspace. It reads only files of the workspace, each
// once, and not many.
type classifier struct {
	dir       string        // the folder in which the line runs
	top       string        // the folder of the workspace, "" until a file is read
	reader    *files.Reader // of the files in it
	detection *detection    // the detection whose files it uses, or nil
	read      map[string][]byte
	unread    map[string]error // why a file was read in part or could not be parsed
	parsed    map[string]*taskFile
	packages  map[string][]*taskFile // the packages of workspaces, by the folder of the workspace
	findings  map[lineKey]finding    // findings that depend on no file; nil to keep none
	active    []string               // the scripts that are being followed
	count     int                    // lines that were classified for one verdict
	looked    int                    // how often an answer depended on files
}

// A lineKey is all that a finding depends on if it depends on no file.
type lineKey struct {
	text string
	fed  bool
}

// The limits of what is read for one command line.
const (
	mostFiles    = 200
	mostManifest = files.MostBytes
	mostCode     = 64 << 10
)

// newClassifier returns a classifier for lines that run in dir. With dir "" it reads nothing.
func newClassifier(dir string) *classifier {
	cl := &classifier{}
	if dir != "" {
		if dir, err := filepath.Abs(dir); err == nil {
			cl.dir = dir
		}
	}
	return cl
}

func (cl *classifier) close() {
	if cl.reader != nil {
		_ = cl.reader.Close() // it was only read
	}
}

// open finds the workspace when its first file is needed.
func (cl *classifier) open() bool {
	if cl.top == "" && cl.dir != "" {
		levels := workspace(cl.dir)
		cl.top = levels[len(levels)-1]
		cl.reader, _ = files.NewReader(cl.top) // a folder that cannot be opened has no scripts
	}
	return cl.reader != nil
}

// text returns the beginning of a file of the workspace. It is nil if the file is missing or not
// regular. A link out of the workspace is not followed.
func (cl *classifier) text(name string, most int) []byte {
	cl.looked++
	text, ok := cl.read[name]
	if !ok {
		if !cl.open() || cl.detection == nil && len(cl.read) >= mostFiles {
			return nil
		}
		below, err := filepath.Rel(cl.top, name)
		if err == nil && filepath.IsLocal(below) {
			text = cl.load(filepath.ToSlash(below))
		}
		if cl.read == nil {
			cl.read = map[string][]byte{}
		}
		cl.read[name] = text
	}
	return text[:min(len(text), most)]
}

func (cl *classifier) load(name string) []byte {
	load := cl.reader.Read
	if d := cl.detection; d != nil {
		if !d.has(name) { // the output of tools is there today and gone tomorrow
			return nil
		}
		load = d.load
	}
	text, err := load(name)
	if err != nil && text != nil {
		cl.noteUnreadable(filepath.Join(cl.top, filepath.FromSlash(name)), err)
	}
	if text == nil && (err == nil || errors.Is(err, files.ErrTooLong)) {
		return []byte{}
	}
	return text
}

// noteUnreadable notes why a file cannot be used, unless a reason is known.
func (cl *classifier) noteUnreadable(name string, err error) {
	if cl.unread == nil {
		cl.unread = map[string]error{}
	}
	if cl.unread[name] == nil {
		cl.unread[name] = err
	}
}

// upward returns the nearest of some files in dir and the folders above it, "" if there is none.
func (cl *classifier) upward(dir string, names ...string) (path string) {
	cl.looked++
	if dir == "" || !cl.open() {
		return ""
	}
	for range mostLevels {
		for _, name := range names {
			if path := filepath.Join(dir, name); cl.text(path, mostManifest) != nil {
				return path
			}
		}
		if dir == cl.top || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// tasks returns the tasks of a file, nil if it is missing or cannot be read.
func (cl *classifier) tasks(name string, parse taskParser) *taskFile {
	cl.looked++
	if f, ok := cl.parsed[name]; ok || name == "" {
		return f
	}
	text := cl.text(name, mostManifest)
	if text == nil {
		return nil
	}
	f, err := parse(text)
	if err != nil {
		cl.noteUnreadable(name, err)
	}
	cl.addTasks(name, f)
	return f
}

// addTasks adds a file of tasks to those that the classifier knows.
func (cl *classifier) addTasks(name string, f *taskFile) {
	if cl.parsed == nil {
		cl.parsed = map[string]*taskFile{}
	}
	if f != nil {
		f.path = name
	}
	cl.parsed[name] = f
}

// followScript classifies the text of a script. key identifies the script.
func (cl *classifier) followScript(key, text, dir string, at location) finding {
	switch {
	case slices.Contains(cl.active, key):
		return unknown("the script " + quoted(at.text) + " runs itself")
	case at.depth >= mostScripts:
		return unknown("the script " + quoted(at.text) + " is too deep to follow")
	}
	cl.active = append(cl.active, key)
	defer func() { cl.active = cl.active[:len(cl.active)-1] }()
	f := cl.line(text, location{dir: dir, fed: at.fed, depth: at.depth + 1})
	f.resolved = true
	return f
}

// all merges the findings of several scripts that run one after the other or at the same time.
func all(findings []finding) finding {
	f := merge(findings)
	f.resolved = true
	if len(findings) > 1 {
		f.bounded = ""
	}
	return f
}

// guess is the finding for a missing script: its name may tell something.
func (cl *classifier) guess(name, where string, at location) finding {
	class := nameClass(name)
	if class == Unknown {
		return unknown(quoted(at.text) + ": " + where)
	}
	f := byName(class, at.text, "its name")
	f.reason += ", for " + where
	return f
}

// named improves an unknown finding by the script's name.
func named(f finding, name string, at location) finding {
	if f.class != Unknown {
		return f
	}
	class := nameClass(name)
	if class == Unknown {
		return f
	}
	guess := byName(class, at.text, "its name")
	guess.chain, guess.runs, guess.resolved = f.chain, f.runs, f.resolved
	guess.reason += ", for " + f.reason
	return guess
}

// script classifies a script of the workspace for a rule.
func (cl *classifier) script(verb string, rest []string, in *invocation, args []line.Word, start, next int, at location) finding {
	cl.looked++
	if verb == "procfile" {
		return cl.procfile(in, args[min(next, len(args)):], at)
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
			return cl.npmScripts(args[start+1:], at)
		}
		return cl.npm(kind, name, words, in, args, next, at)
	case "yarn-workspace", "yarn-foreach", "workspaces":
		return cl.everywhere(kind, name, words, in, at)
	case "turbo", "nx", "nx-many", "nx-target", "moon":
		return cl.graph(kind, name, words, in, at)
	case "make":
		return cl.makefile(in, at)
	case "just", "task", "mise", "devbox", "composer", "cargo", "python":
		return cl.task(kind, name, in, args, next, at)
	}
	return unknown(quoted(at.text) + ": nothing is known of scripts of " + kind)
}

// value returns the value of one of some flags, which stand before the end of the program's own
// flags.
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

// has reports whether one of some flags is given.
func (in *invocation) has(flags ...string) bool {
	return slices.ContainsFunc(in.args[:in.flags], func(w line.Word) bool { return slices.Contains(flags, w.Text) })
}

// within returns a folder that is named from dir.
func within(dir, name string) string {
	if name == "" || dir == "" || filepath.IsAbs(name) {
		return dir
	}
	return filepath.Join(dir, name)
}
