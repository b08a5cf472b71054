// Package files knows the files of a workspace by their names: the rules that say which of them count, one bounded
// walk, the same answer whatever order the file system lists them in, and a reader that no manifest, however broken,
// can keep busy. It follows no link out of the workspace and executes nothing.
package files

import (
	"context"
	"slices"
)

// Limits bound a walk. What lies beyond them is left out, and the tree says that it is truncated.
type Limits struct {
	Files int // files in all
	Depth int // folders below the top
}

// Usual is enough for the largest workspaces that people have.
var Usual = Limits{Files: 100_000, Depth: 40}

// A Folder is the names in a folder, each sorted.
type Folder struct {
	Path    string   // from the top, with slashes; "." is the top
	Files   []string // everything that is no folder, links to folders included
	Folders []string // those that were walked
	Ignored []string // files that do not count by the rules, but lie there
}

// Has reports whether a file of that name lies in the folder, whether it counts or not.
func (f *Folder) Has(name string) bool {
	_, ok := slices.BinarySearch(f.Files, name)
	if !ok {
		_, ok = slices.BinarySearch(f.Ignored, name)
	}
	return ok
}

// A Problem is a file or a folder that could not be read, or that is not what it should be.
type Problem struct {
	File   string `json:"file"` // from the top, with slashes
	Reason string `json:"reason"`
}

// A Tree is what a walk found: the folders with the higher before the deeper ones.
type Tree struct {
	Top       string
	Folders   []Folder
	Files     int
	Truncated bool
	Problems  []Problem
}

// Walk reads the names of all files below the folder top that count by the rules, but for those in folders that are
// made by tools ([Made]), unless .devtoolsignore or the command line includes such a folder. With nil all others
// count. Folders are read level by level, so that a tree that is cut at the limits has all that is near the top.
func Walk(ctx context.Context, top string, rules *Rules, most Limits) (*Tree, error) {
	tree := &Tree{Top: top}
	w := &walk{top: top, rules: rules, most: most, noMade: true}
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
