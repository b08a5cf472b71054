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

// Options say what to look at.
type Options struct {
	Dir    string       // the requested folder
	Home   string       // detection looks at nothing above this folder; "" if there is none
	System string       // the system (GOOS) whose program names to report
	Own    Own          // the definitions of the workspace, which add to those of devtools or replace them
	Limits files.Limits // of the walk; zero is [files.Usual]

	// Look finds a program on PATH. With nil the report does not say what is installed.
	Look func(program string) (path string, ok bool)
}

// Own is the workspace's file of definitions, or the error of reading it.
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
	folder string // the folder to look at, from the top
	places map[string][]place
	exts   map[string][]place

	classifier *classifier // classifies the scripts
	folders    map[string]*files.Folder
	problems   []files.Problem
	builders   []*builder
	above      map[string]*builder // what manifests above the folder say about package managers
	read       map[string][]byte
	compiled   map[string]*regexp.Regexp
}

// Detect tells what the workspace of a folder is made of. It looks in and below the folder, or the
// nearest folder above that has a manifest. It also reads what the folders above say about that one.
// It reads manifests and names, follows no link out of the workspace, and executes nothing. A file
// that cannot be read is a problem in the report. A missing folder is an error.
func Detect(ctx context.Context, o Options) (*Report, error) {
	d, asked, err := newDetection(o)
	if err != nil {
		return nil, err
	}
	if d.reader, err = files.NewReader(d.root); err != nil {
		return nil, err
	}
	defer func() { _ = d.reader.Close() }() // it was only read
	d.classifier = &classifier{top: d.root, reader: d.reader, detection: d, findings: map[lineKey]finding{}}
	tree, err := d.walk(ctx, asked)
	if err != nil {
		return nil, err
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

// newDetection finds the top of the workspace, and the folder to look at: the nearest one with a
// manifest.
func newDetection(o Options) (d *detection, asked string, err error) {
	all, ownFault := o.Own.override(Definitions())
	if o.Limits == (files.Limits{}) {
		o.Limits = files.Usual
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, "", err
	}
	if real, err := filepath.EvalSymlinks(o.Dir); err == nil {
		o.Dir = real
	}
	d = &detection{Options: o, index: newIndex(all), folders: map[string]*files.Folder{}, above: map[string]*builder{}}
	d.places, d.exts = places()
	d.problem(o.Own.File, ownFault)
	d.root = top(o.Dir, o.Home, d.index.manifest)
	asked = o.Dir
	for asked != d.root && !hasManifest(asked, d.index.manifest) {
		asked = filepath.Dir(asked)
	}
	if asked == d.root && !hasManifest(asked, d.index.manifest) {
		asked = o.Dir // no folder above has a manifest
	}
	relative, err := filepath.Rel(d.root, asked)
	if err != nil {
		return nil, "", err
	}
	d.folder = filepath.ToSlash(relative)
	return d, asked, nil
}

// walk reads the names in and below the folder, and makes their paths begin at the top of the
// workspace.
func (d *detection) walk(ctx context.Context, asked string) (*files.Tree, error) {
	tree, err := files.Walk(ctx, asked, files.NewRules(asked, files.RuleOptions{Root: d.root, Home: d.Home}), d.Limits)
	if err != nil {
		return nil, err
	}
	for i := range tree.Folders {
		f := &tree.Folders[i]
		f.Path = path.Join(d.folder, f.Path)
		d.folders[f.Path] = f
	}
	for _, p := range tree.Problems {
		if !filepath.IsAbs(p.File) { // an absolute path is a file of the user outside the workspace
			p.File = path.Join(d.folder, p.File)
		}
		d.problems = append(d.problems, p)
	}
	return tree, nil
}

// override returns all with the definitions of the workspace. If these are wrong, they do not count.
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

// byDepth returns the folders of a map, those higher up first.
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

// contains reports whether the file of a hit has the content that its sign asks for.
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

// has reports whether a file exists. It knows the names in the walked folders, and reads those of
// folders above.
func (d *detection) has(name string) bool {
	if f := d.at(path.Dir(name)); f != nil {
		return f.Has(path.Base(name))
	}
	return false
}

// at returns the names in a folder that was walked, or that lies above the walked ones, otherwise
// nil.
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

// readable explains an error of a manifest in the list of problems.
func readable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("it is a broken link, or a link out of the workspace: %w", err)
	}
	return err
}

// report collects the results of the projects.
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
	sortBy(d.problems, func(a, b files.Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Reason, b.Reason))
	})
	r.Problems = append(r.Problems, slices.Compact(d.problems)...)
	return r
}
