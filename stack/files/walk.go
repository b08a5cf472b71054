package files

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// mostNames is how many names of one folder are read, so that even an endless folder ends.
const mostNames = 1 << 20

// A walk reads folders, level by level.
type walk struct {
	top      string
	rules    *Rules // nil if nothing is ignored
	limits   Limits
	tasks    map[string]task // gets all folders that were read, unless it is nil
	skipMade bool            // folders that tools make ([Made]) are left out
	stamping
	seen     map[fileID]bool // top, and folders that were reached through links
	files    int
	folders  int
	ignored  int
	problems []Problem
}

// The stamping is what a walk needs for a snapshot.
type stamping struct {
	stamps bool      // files are looked at too
	follow bool      // links that lead out of the tree are followed
	real   string    // top without links
	start  time.Time // before the walk read the first folder
	device uint64    // the device of top
	before *Snapshot // the snapshot before, or nil
}

// A task is a folder to read.
type task struct {
	path   string // from the top, with slashes
	above  *level // the level of the folder above, nil for the top
	ruling ruling // set if the folder is ignored, but contains tracked files
	link   bool   // path is a link
	beyond bool   // it lies outside the tree, or below a folder that does
	id     fileID // only of a folder outside the tree
}

// A fileID identifies a file, whatever its path.
type fileID struct{ device, inode uint64 }

// A reading is the result of reading a folder.
type reading struct {
	folder      Folder
	below       []task // the folders in it, in their order
	linked      []task // the folders that links lead to
	level       *level // its rules, nil if nothing is ignored
	stamps      []Stamp
	self        Stamp // the stamp of the folder
	whole       bool  // folder has all its names, and it has no others as long as its stamp is the same
	targets     []target
	linkTargets []string // the folders on disk with targets of links
	cut         bool
	err         error
}

// run reads all folders and calls found for each: those higher up first, then in the order of their
// names. It reports whether the limits left something out. A top that cannot be read is an error.
func (w *walk) run(ctx context.Context, found func(*reading)) (truncated bool, err error) {
	return w.runFrom(ctx, []task{{path: "."}}, found)
}

// runFrom is run for some folders.
func (w *walk) runFrom(ctx context.Context, level []task, found func(*reading)) (truncated bool, err error) {
	for depth := 0; len(level) > 0; depth++ {
		if depth > w.limits.Depth {
			return true, nil
		}
		read, err := w.readLevel(ctx, level)
		if err != nil {
			return truncated, err
		}
		var next []task
		for i := range read {
			r := &read[i]
			switch {
			case r.err == nil:
			case level[i].path == ".":
				return truncated, r.err
			case errors.Is(r.err, fs.ErrNotExist): // it has gone since its name was read
				continue
			default:
				w.problems = append(w.problems, Problem{level[i].path, plain(r.err).Error()})
			}
			if w.files >= w.limits.Files && len(r.folder.Files)+len(r.folder.Folders) > 0 {
				truncated = true
				break
			}
			if room := w.limits.Files - w.files; len(r.folder.Files) > room {
				r.folder.Files, truncated = r.folder.Files[:room], true
				r.stamps = r.stamps[:min(len(r.stamps), room)]
				r.targets = slices.DeleteFunc(r.targets, func(t target) bool { return t.file >= room })
			}
			if room := w.limits.Files - w.ignored; len(r.folder.Ignored) > room { // not important: the tree has all files that count
				r.folder.Ignored = r.folder.Ignored[:room]
			}
			if room := max(w.limits.Files-w.folders, 0); len(r.below) > room {
				r.folder.Folders, r.below, truncated = r.folder.Folders[:room], r.below[:room], true
			}
			truncated = truncated || r.cut
			w.files += len(r.folder.Files)
			w.folders += len(r.below)
			w.ignored += len(r.folder.Ignored)
			if w.tasks != nil {
				w.tasks[level[i].path] = level[i]
			}
			found(r)
			for _, t := range slices.Concat(r.below, r.linked) {
				if t.beyond && w.seen[t.id] {
					continue // links lead in a circle, or twice to the same folder
				}
				if t.beyond {
					w.seen[t.id] = true
				}
				next = append(next, t)
			}
		}
		level = next
	}
	return truncated, nil
}

// workers returns how many folders are read at a time. With the names in the cache, more workers
// gain nothing.
func workers() int { return min(max(runtime.GOMAXPROCS(0), 2), 4) }

// batch is how many folders a worker takes at a time.
const batch = 8

func (w *walk) readLevel(ctx context.Context, level []task) ([]reading, error) {
	read := make([]reading, len(level))
	var group sync.WaitGroup
	var lock sync.Mutex
	room := w.limits.Files - w.files
	next, seen := 0, 0
	for range min(workers(), (len(level)+batch-1)/batch) {
		group.Go(func() {
			var s scanner
			files := 0
			for {
				lock.Lock()
				seen += files
				first := next
				// Workers take folders in order. If these use up the room, no later folder has any.
				if first == len(level) || seen > room || ctx.Err() != nil {
					lock.Unlock()
					return
				}
				next = min(first+batch, len(level))
				last := next
				lock.Unlock()
				files = 0
				for i := first; i < last; i++ {
					read[i] = w.readFolder(&s, level[i])
					files += len(read[i].folder.Files)
				}
			}
		})
	}
	group.Wait()
	for i := next; i < len(level); i++ {
		read[i] = reading{folder: Folder{Path: level[i].path}, cut: true}
	}
	return read, ctx.Err()
}

// A scanner holds the memory that a worker uses for one folder after the other.
type scanner struct {
	names []byte // the names of the entries, each with a zero behind it
	all   []entry
	path  []byte // the path for matching
	kept  []byte
	room  [32 << 10]byte
}

// An entry is a name in a folder.
type entry struct {
	start, end int // of the name in scanner.names
	kind       kindOf
	ignored    bool
	ruling     ruling // the decision of the rules about it
}

// kindOf says what an entry is.
type kindOf uint8

const (
	isFile kindOf = iota
	isFolder
	isLink
	isOther // a FIFO, a socket, a device
)

func addName[T string | []byte](s *scanner, name T, kind kindOf) {
	start := len(s.names)
	s.names = append(s.names, name...)
	s.all = append(s.all, entry{start: start, end: len(s.names), kind: kind})
	s.names = append(s.names, 0)
}

func (s *scanner) name(e *entry) []byte { return s.names[e.start:e.end] }

func (w *walk) readFolder(s *scanner, t task) reading {
	r := reading{folder: Folder{Path: t.path}}
	s.names, s.all = s.names[:0], s.all[:0]
	d, err := openFolder(filepath.Join(w.top, filepath.FromSlash(t.path)), t.path != "." && !t.link)
	if err != nil {
		r.err = err
		return r
	}
	defer d.close()
	var old *folderState
	if w.stamps {
		r.self, old, r.whole = w.known(d, t.path)
	}
	if old != nil {
		s.recall(old)
	} else {
		r.cut, r.err = d.read(s)
	}
	r.level = w.levelOf(s, t)
	kept := w.keep(s, r.level)
	r.whole = r.whole && len(kept) == len(s.all) && !r.cut && r.err == nil
	if old != nil && r.whole {
		r.takeKnown(old, kept)
	} else {
		r.take(s, kept, w.skipMade)
	}
	if w.stamps {
		w.takeStamps(s, d, t, &r)
	}
	return r
}

// known returns the stamp of an open folder. old is its state in the snapshot before, nil if the
// folder may have changed since. whole reports whether another name in the folder would change the
// stamp.
func (w *walk) known(d openedFolder, path string) (self Stamp, old *folderState, whole bool) {
	self, device := d.self()
	if device != w.device {
		return self, nil, false
	}
	old = w.before.unchanged(path, self)
	return self, old, old != nil || quiet(self, w.start)
}

// keep returns the entries of a folder that are in the result, in the memory of the scanner.
func (w *walk) keep(s *scanner, l *level) []entry {
	kept := s.all[:0]
	for i := range s.all {
		e := &s.all[i]
		if w.stamps && e.kind == isOther { // they are not sources, and programs make them when they start
			continue
		}
		if e.ignored = !w.counts(s, l, e); !e.ignored || w.skipMade && e.kind != isFolder {
			kept = append(kept, *e)
		}
	}
	return kept
}

// takeKnown fills the folder from its state in the snapshot before. The entries are in the same
// order.
func (r *reading) takeKnown(old *folderState, entries []entry) {
	r.folder.Files = old.files
	for i, name := range old.folders {
		r.enter(name, entries[len(old.files)+i].ruling)
	}
}

// recall adds the names of a folder from its state in the snapshot before.
func (s *scanner) recall(f *folderState) {
	for i, name := range f.files {
		kind := isOther
		switch f.stamps[i].Mode.Type() {
		case 0:
			kind = isFile
		case fs.ModeSymlink:
			kind = isLink
		}
		addName(s, name, kind)
	}
	for _, name := range f.folders {
		addName(s, name, isFolder)
	}
}

// levelOf returns the rules in the folder whose names were read, nil if nothing is ignored.
func (w *walk) levelOf(s *scanner, t task) *level {
	switch {
	case w.rules == nil:
		return nil
	case t.above == nil:
		return w.rules.first
	}
	var p presence
	for i := range s.all {
		e := &s.all[i]
		if name := s.name(e); name[0] == '.' && len(name) >= len(gitName) && name[1] != '.' {
			p.note(string(name), e.kind == isFile)
		}
	}
	return w.rules.enter(t.above, t.path[strings.LastIndexByte(t.path, '/')+1:], p, t.ruling)
}

// counts reports whether an entry is in the result.
func (w *walk) counts(s *scanner, l *level, e *entry) bool {
	if l == nil {
		return true
	}
	var found ruling
	folder := e.kind == isFolder
	found, s.path = l.judge(s.path, s.name(e), folder, w.rules.fold)
	e.ruling = found
	return !found.ignored || folder && found.tracked
}

// take fills the folder with the entries that count.
func (r *reading) take(s *scanner, all []entry, noMade bool) {
	s.kept = s.kept[:0]
	folders, ignored := 0, 0
	for i := range all {
		s.kept = append(s.kept, s.name(&all[i])...)
		switch {
		case all[i].kind == isFolder:
			folders++
		case all[i].ignored:
			ignored++
		}
	}
	text := string(s.kept) // one allocation for all names
	type child struct {
		name   string
		ruling ruling
	}
	children := make([]child, 0, folders)
	r.folder.Files = make([]string, 0, len(all)-folders-ignored)
	for i := range all {
		e := &all[i]
		name := text[:e.end-e.start]
		text = text[len(name):]
		switch {
		case e.kind == isFolder:
			children = append(children, child{name, e.ruling})
		case e.ignored:
			r.folder.Ignored = append(r.folder.Ignored, name)
		default:
			r.folder.Files = append(r.folder.Files, name)
		}
	}
	slices.Sort(r.folder.Files)
	slices.Sort(r.folder.Ignored)
	slices.SortFunc(children, func(a, b child) int { return strings.Compare(a.name, b.name) })
	for _, c := range children {
		asked := c.ruling.list != nil && c.ruling.list.layer >= Own && !c.ruling.ignored
		if noMade && !asked && Made(&r.folder, c.name) {
			continue
		}
		r.enter(c.name, c.ruling)
	}
}

// enter adds a folder in this one to the folders to read.
func (r *reading) enter(name string, found ruling) {
	t := task{path: joined(r.folder.Path, name), above: r.level}
	if found.ignored {
		t.ruling = found
	}
	r.folder.Folders = append(r.folder.Folders, name)
	r.below = append(r.below, t)
}
