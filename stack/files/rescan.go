package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// A walkState is the part of a walk that [Snapshot.Rescan] needs.
type walkState struct {
	walk  walk
	tasks map[string]task
}

// mostRescanned is how many folders Rescan looks at. For more, a whole snapshot is faster.
const mostRescanned = 1000

// Rescan looks again at these folders, at new folders in them, and at nothing else: nothing may have
// happened in other folders. Paths begin at the top. ok reports whether it could. It cannot if the
// snapshot was taken without Again, was rescanned before or follows links, or if rules have changed.
// Then a whole snapshot is needed.
func (s *Snapshot) Rescan(ctx context.Context, folders []string) (now *Snapshot, ok bool, err error) {
	if s.last == nil || s.Truncated || len(s.unread) > 0 || len(folders) > mostRescanned {
		return nil, false, nil
	}
	r := rescan{before: s, walk: s.last.walk, tasks: s.last.tasks, start: time.Now(), looked: map[string]folderState{}}
	r.walk.files, r.walk.problems, r.walk.tasks, r.walk.start = s.files, nil, r.tasks, r.start
	s.last = nil // the next snapshot gets it
	for _, folder := range slices.Compact(slices.Sorted(slices.Values(folders))) {
		// An unknown folder is found by its parent. A folder that was just found needs no second look.
		if t, known := r.tasks[folder]; known && s.at(folder) != nil && !r.lost(folder) {
			if ok, err := r.look(ctx, t); !ok || err != nil {
				return nil, false, err
			}
		}
	}
	now = r.merge()
	now.last = &walkState{r.walk, r.tasks}
	return now, true, nil
}

// A rescan is the state of Rescan.
type rescan struct {
	before      *Snapshot
	walk        walk
	tasks       map[string]task
	start       time.Time
	scanner     scanner
	looked      map[string]folderState // by path
	gone        []string               // folders that are gone, or were replaced by others
	added       []folderState
	linkTargets []string
}

// look looks at one folder, and at new folders below it.
func (r *rescan) look(ctx context.Context, t task) (ok bool, err error) {
	read := r.walk.readFolder(&r.scanner, t)
	switch {
	case errors.Is(read.err, fs.ErrNotExist) && t.path != ".":
		r.gone = append(r.gone, t.path)
		slices.Sort(r.gone)
		return true, nil
	case read.err != nil, read.cut:
		return false, nil
	}
	r.linkTargets = append(r.linkTargets, read.linkTargets...)
	now := read.state()
	was := r.before.at(t.path)
	if was == nil || was.rules() != now.rules() {
		return false, nil
	}
	r.looked[t.path] = now
	defer func() { slices.Sort(r.gone) }()
	there := map[string]bool{}
	for _, below := range read.below {
		there[below.path] = true
		if _, known := r.tasks[below.path]; known && r.same(below.path) {
			continue
		}
		r.gone = append(r.gone, below.path)
		cut, err := r.walk.runFrom(ctx, []task{below}, func(read *reading) {
			r.linkTargets = append(r.linkTargets, read.linkTargets...)
			r.added = append(r.added, read.state())
		})
		if cut || err != nil {
			return false, err
		}
	}
	for name := range r.before.below(t.path) {
		if !there[name] {
			r.gone = append(r.gone, name)
		}
	}
	return true, nil
}

// same reports whether a folder is still the same one.
func (r *rescan) same(folder string) bool {
	was := r.before.at(folder)
	info, err := os.Lstat(r.walk.disk(folder))
	return was != nil && err == nil && info.IsDir() && stampOf(info).Inode == was.self.Inode
}

// merge makes a snapshot of the folders that were looked at and of the others.
func (r *rescan) merge() *Snapshot {
	now := &Snapshot{
		Problems: slices.Concat(r.before.Problems, r.walk.problems), settles: r.before.settles, Label: r.before.Label,
	}
	slices.SortFunc(r.added, func(a, b folderState) int { return strings.Compare(a.path, b.path) })
	now.linkTargets = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.before.linkTargets, r.linkTargets))))
	newest := int64(0)
	add := func(f folderState, fresh bool) {
		now.folders = append(now.folders, f)
		now.files += len(f.files)
		if fresh {
			for _, stamp := range f.stamps {
				newest = max(newest, stamp.Changed, stamp.Modified)
			}
		}
	}
	for _, f := range r.before.folders {
		again, looked := r.looked[f.path]
		switch {
		case r.lost(f.path):
			if _, new := slices.BinarySearchFunc(r.added, f.path, func(a folderState, p string) int { return strings.Compare(a.path, p) }); !new {
				delete(r.tasks, f.path)
			}
		case looked:
			add(again, true)
		default:
			add(f, false)
		}
	}
	for _, f := range r.added {
		add(f, true)
	}
	slices.SortFunc(now.folders, func(a, b folderState) int { return strings.Compare(a.path, b.path) })
	now.Unsettled = newest > r.start.Add(-now.settles).UnixNano()
	return now
}

// lost reports whether a folder is gone, or lies in one that is gone.
func (r *rescan) lost(folder string) bool {
	for at := folder; at != "." && len(r.gone) > 0; at = path.Dir(at) {
		if _, found := slices.BinarySearch(r.gone, at); found {
			return true
		}
	}
	return false
}

// at returns a folder of the snapshot, nil if it has none with that path.
func (s *Snapshot) at(folder string) *folderState {
	i, found := slices.BinarySearchFunc(s.folders, folder, func(f folderState, p string) int { return strings.Compare(f.path, p) })
	if !found {
		return nil
	}
	return &s.folders[i]
}

// below yields the folders directly in a folder.
func (s *Snapshot) below(folder string) func(yield func(string) bool) {
	prefix := ""
	if folder != "." {
		prefix = folder + "/"
	}
	return func(yield func(string) bool) {
		i, _ := slices.BinarySearchFunc(s.folders, prefix, func(f folderState, p string) int { return strings.Compare(f.path, p) })
		for ; i < len(s.folders) && strings.HasPrefix(s.folders[i].path, prefix); i++ {
			name := s.folders[i].path
			if name != "." && !strings.Contains(name[len(prefix):], "/") && !yield(name) {
				return
			}
		}
	}
}

// rules returns the stamps of the files that decide which files of the folder count.
func (f *folderState) rules() (state [3]Stamp) {
	for i, name := range []string{ignoreName, ownName, gitName} {
		if at, found := slices.BinarySearch(f.files, name); found && at < len(f.stamps) {
			state[i] = f.stamps[at]
		}
	}
	return state
}
