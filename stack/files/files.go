// Package files knows the files of a workspace by their names: one bounded walk, the same answer whatever
// order the file system lists them in, and a reader that no manifest, however broken, can keep busy. It
// follows no link out of the workspace and executes nothing.
package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
}

// Has reports whether a file of that name lies in the folder.
func (f *Folder) Has(name string) bool {
	_, ok := slices.BinarySearch(f.Files, name)
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

// workers is how many folders are read at a time. More gain nothing where the names are in the cache.
const workers = 4

// Walk reads the names of all files below the folder top, but for those of folders that are made by tools
// ([Made]). Folders are read level by level, so that a tree that is cut at the limits has all that is
// near the top.
func Walk(ctx context.Context, top string, most Limits) (*Tree, error) {
	tree := &Tree{Top: top}
	level := []string{"."}
	for depth := 0; len(level) > 0; depth++ {
		if depth > most.Depth {
			tree.Truncated = true
			break
		}
		read, err := readLevel(ctx, top, level, most.Files-tree.Files)
		if err != nil {
			return nil, err
		}
		var next []string
		for i, r := range read {
			if r.err != nil {
				if depth == 0 {
					return nil, r.err
				}
				tree.Problems = append(tree.Problems, Problem{level[i], plain(r.err).Error()})
			}
			if tree.Files >= most.Files && len(r.folder.Files)+len(r.folder.Folders) > 0 {
				tree.Truncated = true
				break
			}
			if room := most.Files - tree.Files; len(r.folder.Files) > room {
				r.folder.Files, tree.Truncated = r.folder.Files[:room], true
			}
			tree.Truncated = tree.Truncated || r.cut
			tree.Files += len(r.folder.Files)
			tree.Folders = append(tree.Folders, r.folder)
			for _, name := range r.folder.Folders {
				next = append(next, path.Join(level[i], name))
			}
		}
		level = next
	}
	return tree, nil
}

// A reading is a folder that was read, as far as it could be.
type reading struct {
	folder Folder
	cut    bool
	err    error
}

func readLevel(ctx context.Context, top string, level []string, room int) ([]reading, error) {
	read := make([]reading, len(level))
	var group sync.WaitGroup
	var lock sync.Mutex
	next, seen := 0, 0
	for range min(workers, len(level)) {
		group.Go(func() {
			for {
				lock.Lock()
				i := next
				// Folders are taken in their order: when the room is used up by these, no later one has any.
				if i == len(level) || seen > room || ctx.Err() != nil {
					lock.Unlock()
					return
				}
				next++
				lock.Unlock()
				read[i] = readFolder(top, level[i], room)
				lock.Lock()
				seen += len(read[i].folder.Files)
				lock.Unlock()
			}
		})
	}
	group.Wait()
	for i := next; i < len(level); i++ {
		read[i] = reading{folder: Folder{Path: level[i]}, cut: true}
	}
	return read, ctx.Err()
}

func readFolder(top, name string, room int) reading {
	r := reading{folder: Folder{Path: name}}
	f, err := os.Open(filepath.Join(top, filepath.FromSlash(name)))
	if err != nil {
		r.err = err
		return r
	}
	defer func() { _ = f.Close() }() // it was only read
	var entries []fs.DirEntry
	for len(entries) <= room+chunk {
		some, err := f.ReadDir(chunk)
		entries = append(entries, some...)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				r.err = err
			}
			break
		}
	}
	if r.cut = len(entries) > room+chunk; r.cut {
		r.folder.Files = nil
	}
	for _, e := range entries {
		if e.IsDir() {
			r.folder.Folders = append(r.folder.Folders, e.Name())
		} else {
			r.folder.Files = append(r.folder.Files, e.Name())
		}
	}
	slices.Sort(r.folder.Files)
	slices.Sort(r.folder.Folders)
	r.folder.Folders = slices.DeleteFunc(r.folder.Folders, func(child string) bool { return Made(&r.folder, child) })
	return r
}

// chunk is how many names are read at a time.
const chunk = 4096

// made are the folders that tools make and fill, whatever lies beside them.
var made = []string{
	".angular", ".astro", ".build", ".cache", ".dart_tool", ".devtools", ".docusaurus", ".eggs", ".expo", ".git", ".gradle", ".hg",
	".idea", ".mypy_cache", ".next", ".nox", ".nuxt", ".nx", ".output", ".parcel-cache", ".pnpm-store", ".pytest_cache", ".ruff_cache",
	".serverless", ".svelte-kit", ".svn", ".terraform", ".tox", ".turbo", ".venv", ".vercel", ".wrangler", ".yarn", "DerivedData", "Pods",
	"__pycache__", "__pypackages__", "_build", "bower_components", "elm-stuff", "jspm_packages", "node_modules", "site-packages", "vendor",
	"venv", "zig-cache", "zig-out", ".zig-cache",
}

// outputs are folders that tools fill beside the manifest that they are called by; elsewhere people use
// the same names for what they write.
var outputs = map[string][]string{
	"bin":    {".csproj", ".fsproj", ".vbproj"},
	"build":  {"build.gradle", "build.gradle.kts", "CMakeLists.txt", "package.json", "pubspec.yaml", "setup.py", "pyproject.toml", "meson.build"},
	"deps":   {"mix.exs"},
	"dist":   {"package.json", "pyproject.toml", "setup.py", "build.xml"},
	"obj":    {".csproj", ".fsproj", ".vbproj"},
	"out":    {"package.json", "build.gradle", "build.gradle.kts"},
	"target": {"Cargo.toml", "pom.xml", "build.sbt", "project.clj"},
}

// Made reports whether the folder of that name in f is made by a tool: what was installed, built or cached.
// A virtual environment of Python is one whatever its name.
func Made(f *Folder, name string) bool {
	if slices.Contains(made, name) {
		return true
	}
	for _, manifest := range outputs[name] {
		if f.Has(manifest) || manifest[0] == '.' && slices.ContainsFunc(f.Files, func(file string) bool { return strings.HasSuffix(file, manifest) }) {
			return true
		}
	}
	return false
}
