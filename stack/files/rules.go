package files

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// RuleOptions say which rules there are.
type RuleOptions struct {
	NoGit    bool     // the rules and the index of git do not count
	BuiltIns []string // the patterns of the lowest layer: [BuiltInPatterns] or none
	Ignore   []string // patterns of the command line, from the top
	Include  []string // patterns of files that count, which override those of Ignore

	Root string                           // the highest folder whose ignore files count; "" is the top of the repository that contains the tree
	Home string                           // the user's folder, "" if there is none
	Env  func(name string) (string, bool) // the environment; nil is that of this process
}

// The most bytes of all ignore files together. Each file has at most [MostBytes].
const mostRuleBytes = 64 << 20

var errRuleBytes = errors.New("all ignore files together are longer than 64 MiB: this one does not count")

// Rules decide which files of a tree count. They are the rules of git, with more layers, in the
// order of [Layer]. Within a layer the file of the deepest folder decides, and in a file the last
// line. Files below an ignored folder are ignored, whatever other rules say. There is one exception:
// the rules of git and the built-in ones do not ignore files that git tracks. Rules read the ignore
// files when they need them, and do not read them again. Several goroutines may use them.
type Rules struct {
	o      RuleOptions
	top    string // the folder on disk
	root   string // the highest folder whose ignore files count: the top of the repository that contains top, or top
	prefix string // the path of top from root, with a slash at the end, or ""
	fold   bool   // names are compared without regard to case
	first  *level // the level of top

	lock     sync.Mutex
	levels   map[string]*level // the levels for Explain, by path
	problems []Problem
	bytes    int // of all ignore files so far
}

// A level is a folder with its rules.
type level struct {
	path   string // from the root, with a slash at the end, or ""
	folded string // path in the form for matching
	repo   *repository
	lists  []*list // the higher ones first
	above  int     // the number of lists above git's
	ruling ruling  // set if the folder is ignored, but contains files that git tracks
	at     string  // the folder that the ruling is about
}

// A ruling is the decision of the rules about a path.
type ruling struct {
	ignored bool
	tracked bool  // git tracks the file, or a file in the folder, so that an ignore rule does not apply
	list    *list // the list of the rule; nil is none
	rule    int
}

// NewRules returns the rules for the tree below the folder top, which is a path without links. Rules
// of the folders above count, up to the root. The top itself is never ignored.
func NewRules(top string, o RuleOptions) *Rules {
	r := &Rules{o: o, top: top, root: cmp.Or(o.Root, top), fold: foldsCase, levels: map[string]*level{}}
	if r.o.Env == nil {
		r.o.Env = os.LookupEnv
	}
	l := &level{}
	is := hasRepository(r.root)
	if o.Root == "" && !is {
		r.root, is = repositoryAbove(top)
	}
	if is {
		l.repo = r.openRepository(r.root, "")
		r.fold = l.repo.config.ignoreCase
	}
	if o.NoGit {
		l.repo = nil
	}
	if rel, err := filepath.Rel(r.root, top); err == nil && rel != "." {
		r.prefix = filepath.ToSlash(rel) + "/"
	}
	if line := r.commandLine(); len(line.rules) > 0 {
		l.lists = append(l.lists, line)
	}
	// Whatever its files say, git never treats its own folder as sources. The higher layers may include
	// it.
	l.lists = append(l.lists, r.written(BuiltIn, 0, []string{gitName, ".devtools"}))
	l.above = len(l.lists)
	if l.repo != nil {
		l.lists = append(l.lists, l.repo.lists()...)
	}
	if len(o.BuiltIns) > 0 {
		l.lists = append(l.lists, r.written(BuiltIn, 0, o.BuiltIns))
	}
	r.addFiles(l, r.present(r.root))
	for name := range strings.SplitSeq(strings.TrimSuffix(r.prefix, "/"), "/") {
		if name != "" {
			l = r.enter(l, name, r.present(r.disk(l.path+name)), ruling{})
		}
	}
	r.first = l
	return r
}

// ReadAhead begins to read the index of git. A walk needs it as soon as something is ignored.
func (r *Rules) ReadAhead() {
	if p := r.first.repo; p != nil {
		go p.tracked()
	}
}

// repositoryAbove returns the nearest folder above dir that is the top of a repository, on the same
// file system. It returns dir if there is none.
func repositoryAbove(dir string) (string, bool) {
	for at := dir; ; {
		above := filepath.Dir(at)
		if above == at || !sameDevice(at, above) {
			return dir, false
		}
		if at = above; hasRepository(at) {
			return at, true
		}
	}
}

func (r *Rules) commandLine() *list {
	patterns := slices.Clone(r.o.Ignore)
	for _, p := range r.o.Include {
		patterns = append(patterns, "!"+p)
	}
	return r.written(CommandLine, len(r.prefix), patterns)
}

// written makes a list of patterns that are not in a file. A pattern with a line feed matches names
// with a line feed.
func (r *Rules) written(layer Layer, base int, patterns []string) *list {
	l := &list{layer: layer, base: base}
	for _, p := range patterns {
		if !strings.Contains(p, "\x00") {
			l.add(p, r.fold)
			l.rules[len(l.rules)-1].either = layer == BuiltIn && slices.Contains(ambiguous, p)
		}
	}
	return l.ready()
}

// A presence says which of the files for rules lie in a folder.
type presence struct{ git, ignore, own bool }

// The names of these files.
const (
	gitName    = ".git"
	ignoreName = ".gitignore"
	ownName    = ".devtoolsignore"
)

// note records an entry of a folder. As in git, an ignore file that is a link does not count.
func (p *presence) note(name string, regular bool) {
	switch name {
	case gitName:
		p.git = true
	case ignoreName:
		p.ignore = regular
	case ownName:
		p.own = regular
	}
}

// present finds out which of these files lie in a folder on disk.
func (r *Rules) present(dir string) (p presence) {
	for _, name := range []string{gitName, ignoreName, ownName} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			p.note(name, info.Mode().IsRegular())
		}
	}
	return p
}

// disk returns the path on disk for a path from the root.
func (r *Rules) disk(path string) string { return filepath.Join(r.root, filepath.FromSlash(path)) }

// shown returns a path on disk for people: in the workspace it begins at the top.
func (r *Rules) shown(file string) string {
	if in, err := filepath.Rel(r.root, file); err != nil || !filepath.IsLocal(in) {
		return file
	}
	rel, err := filepath.Rel(r.top, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// enter returns the level of a folder in l. The ruling ignored is set if the folder is ignored, but
// contains files that git tracks.
func (r *Rules) enter(l *level, name string, p presence, ignored ruling) *level {
	in := &level{path: l.path + name + "/", repo: l.repo, lists: l.lists, above: l.above, ruling: l.ruling, at: l.at}
	in.folded = in.path
	if r.fold {
		in.folded = lower(in.path, true)
	}
	if ignored.ignored && !in.ruling.ignored {
		in.ruling, in.at = ignored, l.path+name
	}
	if p.git && !r.o.NoGit && hasRepository(r.disk(in.path)) {
		// To git it is a separate repository: the rules of the folders above do not count.
		in.repo, in.ruling, in.at = r.openRepository(r.disk(in.path), in.path), ruling{}, ""
		lists := slices.Clone(in.lists[:in.above])
		lists = append(lists, in.repo.lists()...)
		for _, l := range in.lists[in.above:] {
			if l.layer == BuiltIn {
				lists = append(lists, l)
			}
		}
		in.lists = lists
	}
	r.addFiles(in, p)
	return in
}

// addFiles adds the rules of the ignore files in the folder of l.
func (r *Rules) addFiles(l *level, p presence) {
	add := func(name string, layer Layer, place int) bool {
		file := r.disk(l.path + name)
		data, err := readHere(file)
		list := r.parse(data, err, layer, r.shown(file), len(l.path))
		if list == nil {
			return false
		}
		l.lists = slices.Insert(slices.Clone(l.lists), place, list)
		return true
	}
	if p.ignore && !r.o.NoGit {
		add(ignoreName, Git, l.above)
	}
	if p.own {
		place := 0
		if len(l.lists) > 0 && l.lists[0].layer == CommandLine {
			place = 1
		}
		if add(ownName, Own, place) {
			l.above++
		}
	}
}

// parse makes a list of the rules in a file, and a problem of an error. It returns nil if there are
// no rules.
func (r *Rules) parse(data []byte, fault error, layer Layer, file string, base int) *list {
	r.lock.Lock()
	r.bytes += len(data)
	if r.bytes > mostRuleBytes {
		data, fault = nil, errRuleBytes
	}
	r.lock.Unlock()
	if errors.Is(fault, ErrTooLong) { // the last line may be cut
		data = data[:strings.LastIndexByte(string(data), '\n')+1]
	}
	l, err := parseRules(data, layer, file, base, r.fold)
	if err = cmp.Or(fault, err); err != nil {
		r.problem(file, err)
	}
	if len(l.rules) == 0 {
		return nil
	}
	return l
}

func (r *Rules) problem(file string, err error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if p := (Problem{file, err.Error()}); len(r.problems) < mostProblems && !slices.Contains(r.problems, p) {
		r.problems = append(r.problems, p)
	}
}

// mostProblems is the most problems that are kept.
const mostProblems = 100

// Problems returns the problems so far, sorted. Files outside the workspace have their whole paths.
func (r *Rules) Problems() []Problem {
	r.lock.Lock()
	defer r.lock.Unlock()
	all := slices.Clone(r.problems)
	slices.SortFunc(all, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Reason, b.Reason)) })
	return all
}

// judge decides whether an entry of the folder counts. It builds the path in buf and returns buf for
// the next call, so that an entry needs no new memory.
func (l *level) judge(buf, entry []byte, folder, fold bool) (ruling, []byte) {
	buf = append(buf[:0], l.folded...)
	buf = appendLower(buf, entry, fold)
	lists := l.lists
	if l.ruling.ignored {
		lists = lists[:l.above] // git has no say about files below an ignored folder
	}
	var found ruling
	for i, list := range lists {
		rule := list.match(buf, len(l.folded), folder)
		if rule < 0 {
			continue
		}
		found = ruling{ignored: !list.rules[rule].negated, list: list, rule: rule}
		if i < l.above && (found.ignored || !l.ruling.ignored) {
			return found, buf
		}
		break
	}
	if l.ruling.ignored {
		found = l.ruling
	}
	if found.ignored && l.repo != nil {
		path := l.path[len(l.repo.base):] + string(entry)
		switch x := l.repo.tracked(); {
		case !folder:
			found.tracked = x.has(path)
		case x.links[path]:
			found.ignored, found.tracked = false, true
		default:
			found.tracked = x.hasBelow(path + "/")
		}
		// A folder that is entered for its tracked files stays ignored, so that its other files are ignored
		// too.
		found.ignored = found.ignored && (!found.tracked || folder && !found.list.rules[found.rule].either)
	}
	return found, buf
}
