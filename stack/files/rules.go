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
	NoGit    bool     // what git ignores and tracks does not matter
	BuiltIns []string // the patterns of the lowest layer: [BuiltInPatterns] or none
	Ignore   []string // patterns of the command line, from the top
	Include  []string // patterns of what counts all the same, which hold over those of Ignore

	Root string                           // the outermost folder whose ignore files count; "" is the top of the repository that the tree is in
	Home string                           // the user's folder, "" where there is none
	Env  func(name string) (string, bool) // the environment; nil is that of this process
}

// Bounds of what is read of ignore files, besides [MostBytes] a file.
const mostRuleBytes = 64 << 20

var errRuleBytes = errors.New("all ignore files together are longer than 64 MiB: it does not count")

// Rules tell which files of a tree count, as git would, with more layers. The order of the layers is that of [Layer];
// within one the file of the deepest folder holds, and in a file the last line. What lies below an ignored folder is
// ignored whatever other rules say of it, but for what git tracks: that is not ignored by the rules of git and the
// built-in ones. They are read as they are needed, and hold for the files as they were then. Rules are safe for use
// by several goroutines.
type Rules struct {
	o      RuleOptions
	top    string // the folder on disk
	root   string // that whose ignore files count: the top of the repository that top is in, or top
	prefix string // of top from root, with a slash at the end, or ""
	fold   bool   // names are compared without regard to case
	first  *level // of top

	lock     sync.Mutex
	levels   map[string]*level // those that were asked about by name
	problems []Problem
	bytes    int // of ignore files that were read
}

// A level is a folder with the rules that hold in it.
type level struct {
	path   string // from the root, with a slash at the end, or ""
	folded string // the same as it is matched
	repo   *repository
	lists  []*list // the higher ones first
	above  int     // how many of lists are above git's
	ruling ruling  // where the folder is ignored, and is entered for what git tracks
	at     string  // the folder that the ruling is about
}

// A ruling is what the rules say of a path.
type ruling struct {
	ignored bool
	tracked bool  // git tracks it, or something below it: without that it were ignored, as a folder may be with it
	list    *list // whose rule it was; nil is none
	rule    int
}

// NewRules returns the rules for the tree below the folder top, whose links are resolved. Rules of the folders above
// count up to the root. The top itself is never ignored.
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
	// Whatever git's files say, to git its own folder is none of the sources. The higher layers may include it.
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

// ReadAhead has what git tracks be read meanwhile, which a walk asks for as soon as something is ignored.
func (r *Rules) ReadAhead() {
	if p := r.first.repo; p != nil {
		go p.tracked()
	}
}

// repositoryAbove returns the nearest folder above dir, on the same file system, that is the top of a repository, and
// dir where there is none.
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

// written makes a list of patterns that are in no file. One that has a line's end in it matches what has it too.
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

// presence says which of the files that matter here lie in a folder.
type presence struct{ git, ignore, own bool }

// The names of these files.
const (
	gitName    = ".git"
	ignoreName = ".gitignore"
	ownName    = ".devtoolsignore"
)

// note takes account of an entry of a folder. Ignore files that are links count no more than they do for git.
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

// present looks which of these files lie in a folder on disk.
func (r *Rules) present(dir string) (p presence) {
	for _, name := range []string{gitName, ignoreName, ownName} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			p.note(name, info.Mode().IsRegular())
		}
	}
	return p
}

// disk returns the path on disk of one from the root.
func (r *Rules) disk(path string) string { return filepath.Join(r.root, filepath.FromSlash(path)) }

// shown returns a path on disk as it is told to people: from the top where it is in the workspace.
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

// enter returns the level of a folder of l. With a ruling it is ignored, and entered for what git tracks.
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
		// To git it is a world of its own, in which nothing of what lies above counts.
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

// parse makes a list of what was read of a file, and a problem of what was not. It is nil where there are no rules.
func (r *Rules) parse(data []byte, fault error, layer Layer, file string, base int) *list {
	r.lock.Lock()
	r.bytes += len(data)
	if r.bytes > mostRuleBytes {
		data, fault = nil, errRuleBytes
	}
	r.lock.Unlock()
	if errors.Is(fault, ErrTooLong) { // not with the half of a line
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

// mostProblems is how many problems are told of. More say no more.
const mostProblems = 100

// Problems returns what could not be read so far, sorted. Files outside of the workspace have their whole paths.
func (r *Rules) Problems() []Problem {
	r.lock.Lock()
	defer r.lock.Unlock()
	all := slices.Clone(r.problems)
	slices.SortFunc(all, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Reason, b.Reason)) })
	return all
}

// judge says whether an entry of the folder counts. The path is built in buf, which is returned for the next one, so
// that an entry costs no memory.
func (l *level) judge(buf, entry []byte, folder, fold bool) (ruling, []byte) {
	buf = append(buf[:0], l.folded...)
	buf = appendLower(buf, entry, fold)
	lists := l.lists
	if l.ruling.ignored {
		lists = lists[:l.above] // git says no more about what is below an ignored folder
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
		// A folder stays ignored, so that what else is in it is: it is entered for what git tracks.
		found.ignored = found.ignored && (!found.tracked || folder && !found.list.rules[found.rule].either)
	}
	return found, buf
}
