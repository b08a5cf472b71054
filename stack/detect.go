package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"devtools/stack/files"
)

// Options say what to look at, and what of the machine.
type Options struct {
	Dir    string       // the folder that is asked about
	Home   string       // above it nothing is looked for, "" where there is none
	System string       // whose names of programs are wanted, as Go names it
	Own    Own          // definitions of the workspace, which add to those of devtools and replace them
	Limits files.Limits // of the walk; zero is [files.Usual]

	// Look finds a program on PATH. With nil the report does not say what is installed.
	Look func(program string) (path string, ok bool)
}

// Own is a file of definitions, as it could be read.
type Own struct {
	File string
	Data []byte
	Err  error
}

// A detection is one look at a workspace.
type detection struct {
	Options
	index  *index
	reader *files.Reader
	root   string // the top of the workspace
	folder string // that which is looked at, from the top
	places map[string][]place
	exts   map[string][]place

	judge    *judge // of what the scripts do
	folders  map[string]*files.Folder
	problems []files.Problem
	builders []*builder
	above    map[string]*builder // what manifests above the folder say of package managers
	read     map[string][]byte
	compiled map[string]*regexp.Regexp
}

// Detect tells what the workspace of a folder is made of: what lies in and below the folder, or the nearest above
// it that has a manifest, and what the folders above that say about it. It reads manifests and names, follows no
// link out of the workspace, and executes nothing. What cannot be read is a problem of the report; an error is that
// there is no such folder.
func Detect(ctx context.Context, o Options) (*Report, error) {
	all, ownFault := o.Own.override(Definitions())
	if o.Limits == (files.Limits{}) {
		o.Limits = files.Usual
	}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(o.Dir); err == nil {
		o.Dir = real
	}
	d := &detection{Options: o, index: newIndex(all), folders: map[string]*files.Folder{}, above: map[string]*builder{}}
	d.places, d.exts = places()
	d.problem(o.Own.File, ownFault)
	d.root = top(o.Dir, o.Home, d.index.manifest)
	asked := o.Dir
	for asked != d.root && !hasManifest(asked, d.index.manifest) {
		asked = filepath.Dir(asked)
	}
	if asked == d.root && !hasManifest(asked, d.index.manifest) {
		asked = o.Dir // there is nothing above to tell about
	}
	relative, err := filepath.Rel(d.root, asked)
	if err != nil {
		return nil, err
	}
	d.folder = filepath.ToSlash(relative)
	if d.reader, err = files.NewReader(d.root); err != nil {
		return nil, err
	}
	defer func() { _ = d.reader.Close() }() // it was only read
	d.judge = &judge{top: d.root, reader: d.reader, detection: d, findings: map[lineKey]finding{}}
	tree, err := files.Walk(ctx, asked, files.NewRules(asked, files.RuleOptions{Root: d.root, Home: o.Home}), o.Limits)
	if err != nil {
		return nil, err
	}
	for i := range tree.Folders {
		f := &tree.Folders[i]
		f.Path = path.Join(d.folder, f.Path)
		d.folders[f.Path] = f
	}
	for _, p := range tree.Problems {
		if !filepath.IsAbs(p.File) { // a file of the user's is outside
			p.File = path.Join(d.folder, p.File)
		}
		d.problems = append(d.problems, p)
	}
	d.find(tree)
	for _, b := range d.builders {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.readManifests()
	}
	d.builders = slices.DeleteFunc(d.builders, func(b *builder) bool { return b.empty() })
	d.members()
	for _, b := range d.builders {
		b.finish()
	}
	return d.report(tree, asked), nil
}

// override returns the definitions with those of the workspace. When these are wrong they count for nothing.
func (o Own) override(all []Definition) ([]Definition, error) {
	own, err := []Definition(nil), o.Err
	if err == nil && len(o.Data) > 0 {
		own, err = ParseDefinitions(o.Data)
	}
	if err != nil {
		return all, err
	}
	with, err := Override(all, own)
	if err != nil {
		return all, err
	}
	return with, nil
}

// A hit is a file that tells a stack.
type hit struct {
	sign *sign
	file string
}

// projects are the projects of a workspace by their folders.
type projects map[string]*builder

// owner returns the project of a folder: that in it, or in the nearest folder above; nil where there is none.
func (p projects) owner(folder string) *builder {
	for at := folder; ; at = path.Dir(at) {
		if b := p[at]; b != nil || at == "." {
			return b
		}
	}
}

// find makes a project of each folder with a manifest, and gives each the files below it that tell a stack.
func (d *detection) find(tree *files.Tree) {
	manifests, others := d.hits(tree)
	found := projects{}
	for _, folder := range byDepth(manifests) {
		d.declared(found, folder, manifests[folder])
	}
	for _, folder := range byDepth(others) {
		d.hinted(found, folder, others[folder])
	}
	for _, folder := range byDepth(found) {
		d.builders = append(d.builders, found[folder])
	}
	d.giveAll(tree, found)
}

// hits returns the files that tell a stack by the folder that they are about: those that make it a project, and the others.
func (d *detection) hits(tree *files.Tree) (manifests, others map[string][]hit) {
	manifests, others = map[string][]hit{}, map[string][]hit{}
	for i := range tree.Folders {
		f := &tree.Folders[i]
		if skipped(f.Path, d.folder) {
			continue
		}
		for _, name := range f.Files {
			d.index.signs(f.Path, name, func(s *sign, project string) {
				h := hit{s, path.Join(f.Path, name)}
				switch {
				case s.match != "" && !d.contains(h):
				case s.def.Root && !s.weak:
					manifests[project] = append(manifests[project], h)
				default:
					others[project] = append(others[project], h)
				}
			})
		}
	}
	return manifests, others
}

// declared makes a project of a folder with manifests, unless all of them belong to a project above.
func (d *detection) declared(found projects, folder string, manifests []hit) {
	above := found.owner(path.Dir(folder))
	own := slices.DeleteFunc(manifests, func(h hit) bool {
		return h.sign.def.Outermost && folder != d.folder && above.knows(h.sign.def.ID)
	})
	if len(own) == 0 {
		return
	}
	found[folder] = newBuilder(d, folder)
	for _, h := range own {
		found[folder].hit(h)
	}
}

// hinted gives the other files of a folder that tell a stack to its project. What is neither in nor below a project is a
// project of its own. A file that others use too is worth a project in the folder alone that was asked about, and tells
// nothing of a project above.
func (d *detection) hinted(found projects, folder string, hits []hit) {
	b := found.owner(folder)
	for _, h := range hits {
		if b == nil && (!h.sign.weak || folder == d.folder) {
			b = newBuilder(d, folder)
			found[folder] = b
		}
		if b != nil && (!h.sign.weak || folder == b.path) {
			b.hit(h)
		}
	}
}

// giveAll has the projects read the files that tell facts.
func (d *detection) giveAll(tree *files.Tree, found projects) {
	for i := range tree.Folders {
		f := &tree.Folders[i]
		if skipped(f.Path, d.folder) {
			continue
		}
		for _, name := range f.Files {
			d.give(f.Path, name, found)
		}
		for _, name := range f.Ignored { // settings of this machine are kept from git, and say where things listen
			if strings.HasPrefix(name, ".env") || name == ".flaskenv" {
				d.give(f.Path, name, found)
			}
		}
	}
}

// give has the project read the file, if it is one that tells facts.
func (d *detection) give(folder, name string, found projects) {
	try := func(p place) {
		project := folder
		for range p.levels {
			if project == "." {
				return
			}
			project = path.Dir(project)
		}
		b := found[project]
		if b == nil {
			return
		}
		full := path.Join(folder, name)
		if project != "." {
			full = full[len(project)+1:]
		}
		if ok, err := path.Match(p.pattern, full); ok && err == nil {
			b.manifests = append(b.manifests, given{path.Join(folder, name), p.read})
		}
	}
	for _, p := range d.places[name] {
		try(p)
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		for _, p := range d.exts[name[dot:]] {
			try(p)
		}
	}
}

// skipped reports whether a folder holds examples for tests, which are no projects of the workspace.
func skipped(folder, asked string) bool {
	if asked != "." {
		folder = strings.TrimPrefix(folder, asked)
	}
	for part := range strings.SplitSeq(folder, "/") {
		if part == "testdata" || part == "__fixtures__" || part == "__mocks__" {
			return true
		}
	}
	return false
}

// byDepth returns the folders of a map, the higher ones first.
func byDepth[T any](folders map[string]T) []string {
	return slices.SortedFunc(maps.Keys(folders), compareFolders)
}

func compareFolders(a, b string) int {
	depth := func(folder string) int {
		if folder == "." {
			return 0
		}
		return 1 + strings.Count(folder, "/")
	}
	return cmp.Or(cmp.Compare(depth(a), depth(b)), cmp.Compare(a, b))
}

// contains reports whether the file has in it what the sign wants.
func (d *detection) contains(h hit) bool {
	data, err := d.load(h.file)
	return (err == nil || errors.Is(err, files.ErrTooLong)) && h.sign.matches(data)
}

// load reads a file once.
func (d *detection) load(name string) ([]byte, error) {
	if data, ok := d.read[name]; ok {
		return data, nil
	}
	data, err := d.reader.Read(name)
	if err == nil {
		if d.read == nil {
			d.read = map[string][]byte{}
		}
		if len(data) < 64<<10 {
			d.read[name] = data
		}
	}
	return data, err
}

// has reports whether there is such a file: by the walk, and above the folder that was looked at by a look at the disk.
func (d *detection) has(name string) bool {
	if f := d.at(path.Dir(name)); f != nil {
		return f.Has(path.Base(name))
	}
	return false
}

// at returns the names in a folder that was walked, or that is above, nil for any other.
func (d *detection) at(folder string) *files.Folder {
	if f := d.folders[folder]; f != nil {
		return f
	}
	if d.folder == folder || folder != "." && !strings.HasPrefix(d.folder+"/", folder+"/") || d.folder == "." {
		return nil
	}
	f := &files.Folder{Path: folder}
	tree, err := files.Walk(context.Background(), filepath.Join(d.root, filepath.FromSlash(folder)), nil, files.Limits{Files: 10_000})
	if err == nil && len(tree.Folders) > 0 {
		f.Files = tree.Folders[0].Files
	}
	d.folders[folder] = f
	return f
}

// readable says what is wrong with a manifest for the list of problems.
func readable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("it is a link to nothing, or out of the workspace: %w", err)
	}
	return err
}

// report gathers what the projects have.
func (d *detection) report(tree *files.Tree, asked string) *Report {
	r := &Report{
		ProjectRoot: d.root, Folder: asked, Truncated: tree.Truncated, Files: tree.Files,
		DetectedStacks: []string{}, ExpectedProcesses: []string{}, DevServerPatterns: []string{}, DevServerRules: []Rule{},
		Projects: []Project{}, Problems: []files.Problem{},
	}
	processes := map[string]bool{}
	if main, sure := d.mainStack(); main != nil {
		r.MainStack, r.MainConfidence = main.ID, sure.String()
	}
	for _, b := range d.builders {
		r.Projects = append(r.Projects, b.project)
		for _, found := range b.project.Stacks {
			if slices.Contains(r.DetectedStacks, found.ID) {
				continue
			}
			r.DetectedStacks = append(r.DetectedStacks, found.ID)
			for _, p := range found.def.DevServerPatterns {
				if !slices.Contains(r.DevServerPatterns, p) {
					r.DevServerPatterns = append(r.DevServerPatterns, p)
				}
			}
			for _, rule := range found.def.DevServerRules {
				if !slices.Contains(r.DevServerRules, rule) {
					r.DevServerRules = append(r.DevServerRules, rule)
				}
			}
		}
		for _, name := range b.project.ExpectedProcesses {
			processes[name] = true
		}
	}
	if i := slices.Index(r.DetectedStacks, r.MainStack); i > 0 {
		r.DetectedStacks = slices.Insert(slices.Delete(r.DetectedStacks, i, i+1), 0, r.MainStack)
	}
	r.ExpectedProcesses = append(r.ExpectedProcesses, slices.Sorted(maps.Keys(processes))...)
	slices.SortFunc(d.problems, func(a, b files.Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Reason, b.Reason))
	})
	r.Problems = append(r.Problems, slices.Compact(d.problems)...)
	return r
}
