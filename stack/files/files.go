// Package files finds the files of a workspace. It has the rules that decide which files count, and
// one bounded walk, whose result does not depend on the order of the file system. It also has a
// bounded reader for manifests. It follows no link out of the workspace and executes nothing.
package files

import (
	"context"
	"slices"
)

// Limits bound a walk. The walk leaves out the rest, and the tree says that it is truncated.
type Limits struct {
	Files int // the most files in all
	Depth int // the most folders below each other
}

// Usual is enough for the largest workspaces.
var Usual = Limits{Files: 100_000, Depth: 40}

// A Folder holds the names in a folder, each list sorted.
type Folder struct {
	Path    string   // from the top, with slashes; "." is the top
	Files   []string // all but folders; links to folders are files
	Folders []string // those that the walk has entered
	Ignored []string // existing files that the rules ignore
}

// Has reports whether a file of that name is in the folder, ignored or not.
func (f *Folder) Has(name string) bool {
	_, ok := slices.BinarySearch(f.Files, name)
	if !ok {
		_, ok = slices.BinarySearch(f.Ignored, name)
	}
	return ok
}

// A Problem is a file or folder that could not be read or is not valid.
type Problem struct {
	File   string `json:"file"`   // the file or folder, from the top, with slashes
	Reason string `json:"reason"` // why it could not be read
}

// A Tree is the result of a walk: the folders, those higher up first.
type Tree struct {
	Top       string
	Folders   []Folder
	Files     int
	Truncated bool
	Problems  []Problem
}

// Walk reads the names of all files below the folder top that the rules do not ignore. It leaves out
// folders that tools make ([Made]), unless .devtoolsignore or the command line includes them. With
// nil rules it ignores nothing. It reads level by level, so that a tree that reaches the limits has
// all files near the top.
func Walk(ctx context.Context, top string, rules *Rules, most Limits) (*Tree, error) {
	tree := &Tree{Top: top}
	w := &walk{top: top, rules: rules, limits: most, skipMade: true}
	truncated, err := w.run(ctx, func(r *reading) { tree.Folders = append(tree.Folders, r.folder) })
	if err != nil {
		return nil, err
	}
	tree.Files, tree.Truncated, tree.Problems = w.files, truncated, w.problems
	if rules != nil {
		tree.Problems = append(tree.Problems, rules.Problems()...)
	}
	return tree, nil
}
