package files

import (
	"cmp"
	"context"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Snapshot is the state of the files of a tree that count, without their content. [Diff] finds the
// changes between two snapshots, whatever the clocks did in between.
type Snapshot struct {
	Truncated bool      // the limits left something out
	Problems  []Problem // files and folders that could not be read
	Unsettled bool      // a file changed so recently that one more change might not show; a snapshot after [Snapshot.Settles] is sure
	Label     string    // the caller's name for it, such as the rules that it was taken with; at most 64 KiB

	folders     []folderState // by path
	unread      []string      // folders whose files are unknown, sorted
	linkTargets []string      // the folders on disk with files that links in other folders lead to
	files       int
	settles     time.Duration
	last        *walkState // nil where Rescan cannot start from here
}

// A folderState is the state of the files in a folder.
type folderState struct {
	path    string
	self    Stamp
	files   []string
	stamps  []Stamp  // the stamps of files, in the same order
	targets []target // the files that its links lead to, if they count
	folders []string // the names of the folders in it, if whole
	whole   bool     // the folder has no other names, as long as its stamp is the same
}

// SnapshotOptions say what a snapshot has.
type SnapshotOptions struct {
	Rules  *Rules // nil: everything counts
	Limits Limits
	Follow bool // links out of the tree are followed
	Again  bool // Rescan will be called on it

	// Before is an earlier snapshot of the same tree, or nil. Where all names of a folder counted and
	// the folder has not changed since, its names are not read again. The rules decide about them again.
	// This needs a file system that keeps the times of folders. File systems of this machine do, but
	// those of networks, container hosts and FUSE may not. Folders on other file systems than top are
	// always read.
	Before *Snapshot
}

// The clocks of file systems tick: two changes within one tick have the same time. Most tick every 1
// to 10 ms. Those whose times are whole seconds tick every 1 or 2 s.
const (
	tick     = 20 * time.Millisecond
	longTick = 2 * time.Second
)

// TakeSnapshot looks at all files below the folder top that count, except FIFOs, sockets and
// devices. It does not read them. The state of the file that a link leads to counts too, if that
// file lies in the tree. A broken or circular link counts by itself.
func TakeSnapshot(ctx context.Context, top string, o SnapshotOptions) (*Snapshot, error) {
	real, err := filepath.EvalSymlinks(top)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{}
	w := &walk{top: top, rules: o.Rules, limits: o.Limits, seen: map[fileID]bool{}}
	w.stamping = stamping{stamps: true, follow: o.Follow, real: real, start: time.Now()}
	if b := o.Before; b != nil && !b.Truncated {
		w.before = b
	}
	if id, ok := idOf(top); ok {
		w.seen[id] = true
		w.device = id.device
	}
	if o.Again && !o.Follow {
		w.tasks = map[string]task{}
	}
	s.Truncated, err = w.run(ctx, func(r *reading) {
		s.folders = append(s.folders, r.state())
		s.linkTargets = append(s.linkTargets, r.linkTargets...)
		if r.err != nil {
			s.unread = append(s.unread, r.folder.Path)
		}
	})
	if err != nil {
		return nil, err
	}
	s.Problems, s.files = w.problems, w.files
	if o.Rules != nil {
		s.Problems = append(s.Problems, o.Rules.Problems()...)
	}
	slices.SortFunc(s.folders, func(a, b folderState) int { return strings.Compare(a.path, b.path) })
	slices.Sort(s.unread)
	slices.Sort(s.linkTargets)
	s.linkTargets = slices.Compact(s.linkTargets)
	s.settle(w.start)
	if w.tasks != nil {
		w.before = nil // so that snapshots do not keep all earlier ones
		s.last = &walkState{*w, w.tasks}
	}
	return s, nil
}

func (r *reading) state() folderState {
	f := folderState{path: r.folder.Path, self: r.self, files: r.folder.Files, stamps: r.stamps, targets: r.targets}
	if r.whole {
		f.whole, f.folders = true, r.folder.Folders
	}
	return f
}

// settle finds out whether one more change might not show.
func (s *Snapshot) settle(start time.Time) {
	newest, whole, future := int64(0), true, start.Add(longTick).UnixNano()
	look := func(stamp *Stamp) {
		at := cmp.Or(stamp.Changed, stamp.Modified)
		whole = whole && at%int64(time.Second) == 0
		if at < future { // a time in the future tells nothing
			newest = max(newest, at)
		}
	}
	for i := range s.folders {
		f := &s.folders[i]
		for k := range f.stamps {
			look(&f.stamps[k])
		}
		for k := range f.targets {
			look(&f.targets[k].stamp)
		}
	}
	s.settles = tick
	if whole && newest > 0 {
		s.settles = longTick
	}
	s.Unsettled = newest > start.Add(-s.settles).UnixNano()
}

// unchanged returns the state of a folder if it has the same names and still has this stamp. It
// returns nil if that is not sure: the folder changed, changed just before, or has names that do not
// count.
func (s *Snapshot) unchanged(path string, now Stamp) *folderState {
	if s == nil {
		return nil
	}
	if f := s.at(path); f != nil && f.whole && f.self == now {
		return f
	}
	return nil
}

// quiet reports whether another name in a folder would change its stamp. The folder has this stamp,
// and was read at from or later.
func quiet(folder Stamp, from time.Time) bool {
	ticks := tick
	if folder.Changed%int64(time.Second) == 0 {
		ticks = longTick
	}
	return folder.Changed != 0 && folder.Changed < from.Add(-ticks).UnixNano()
}

// Settles returns how long after a change another change gets another time.
func (s *Snapshot) Settles() time.Duration { return s.settles }

// LinkTargetFolders returns the folders on disk with files that links in other folders lead to. Only a whole
// snapshot sees changes there.
func (s *Snapshot) LinkTargetFolders() []string { return s.linkTargets }

// Len returns the number of files.
func (s *Snapshot) Len() int { return s.files }

// Files yields all files, by their paths from the top with slashes. The file that a link leads to
// comes after the link, with the same path.
func (s *Snapshot) Files() iter.Seq2[string, Stamp] {
	return func(yield func(string, Stamp) bool) {
		for i := range s.folders {
			f := &s.folders[i]
			targets := f.targets
			for k, name := range f.files {
				path := joined(f.path, name)
				if !yield(path, f.stamps[k]) {
					return
				}
				if len(targets) > 0 && targets[0].file == k {
					if !yield(path, targets[0].stamp) {
						return
					}
					targets = targets[1:]
				}
			}
		}
	}
}

// ChangedAt returns when the inode of a file, or of the file that it leads to, last changed, in
// nanoseconds since 1970. For a missing file it is the time of the folder. It is 0 if the system
// does not tell, and if the folder is missing.
func (s *Snapshot) ChangedAt(file string) int64 {
	folder, name := path.Split(file)
	f := s.at(path.Clean(folder))
	if f == nil {
		return 0
	}
	i, found := slices.BinarySearch(f.files, name)
	if !found {
		return f.self.Changed
	}
	at := f.stamps[i].Changed
	for _, t := range f.targets {
		if t.file == i {
			at = max(at, t.stamp.Changed)
		}
	}
	return at
}

// Folders yields all folders. Their times also tell of names that came and went, even of ignored
// files.
func (s *Snapshot) Folders() iter.Seq2[string, Stamp] {
	return func(yield func(string, Stamp) bool) {
		for i := range s.folders {
			if !yield(s.folders[i].path, s.folders[i].self) {
				return
			}
		}
	}
}

// A Reason says how a file changed.
type Reason string

// The reasons; the first that applies counts. A new hard link to a file, as backups and package
// stores make, is a change too, although nothing was written. The number of names does not tell
// whether the file was also written and its time put back, and no change may be missed.
const (
	Added   Reason = "added"
	Deleted Reason = "deleted"
	Kind    Reason = "kind"    // a file became a link, or the like
	Content Reason = "content" // it was written, or another file has its name now
	Mode    Reason = "mode"    // its permissions
	Touched Reason = "touched" // only its inode changed: its owner or its other names, or it was written and its time put back
)

// A Change is a file that changed between two snapshots.
type Change struct {
	Path   string `json:"path"` // from the top, with slashes
	Reason Reason `json:"reason"`
}

// Diff returns the changes from one snapshot to a later one, by path. Any difference is a change,
// also an earlier time. If one of the snapshots could not read a folder, its files are unknown and
// so not a change.
func Diff(from, to *Snapshot) []Change {
	changes := []Change{}
	add := func(folder, name string, reason Reason) {
		changes = append(changes, Change{joined(folder, name), reason})
	}
	whole := func(f *folderState, other *Snapshot, reason Reason) {
		if other.unknown(f.path) {
			return
		}
		for _, name := range f.files {
			add(f.path, name, reason)
		}
	}
	a, b := from.folders, to.folders
	for len(a) > 0 || len(b) > 0 {
		order := 0
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = strings.Compare(a[0].path, b[0].path)
		}
		switch {
		case order < 0:
			whole(&a[0], to, Deleted)
			a = a[1:]
		case order > 0:
			whole(&b[0], from, Added)
			b = b[1:]
		default:
			if !from.unknown(a[0].path) && !to.unknown(b[0].path) {
				a[0].diff(&b[0], add)
			}
			a, b = a[1:], b[1:]
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return changes
}

// Unread reports whether there are folders that could not be read.
func (s *Snapshot) Unread() bool { return len(s.unread) > 0 }

// Recall takes the state of folders that could not be read from an earlier snapshot of the same
// tree. When they can be read again, a later snapshot then tells what has changed since.
func (s *Snapshot) Recall(before *Snapshot) {
	if len(s.unread) == 0 {
		return
	}
	lies := func(folder string) bool {
		return s.unknown(folder) && !before.unknown(folder) && before.at(folder) != nil
	}
	s.folders = slices.DeleteFunc(s.folders, func(f folderState) bool { return lies(f.path) })
	for _, f := range before.folders {
		if lies(f.path) {
			f.whole = false // its names have to be read
			s.folders = append(s.folders, f)
		}
	}
	s.unread = slices.DeleteFunc(s.unread, func(folder string) bool { return !before.unknown(folder) && before.at(folder) != nil })
	slices.SortFunc(s.folders, func(a, b folderState) int { return strings.Compare(a.path, b.path) })
	s.files, s.last = 0, nil
	for i := range s.folders {
		s.files += len(s.folders[i].files)
	}
}

// unknown reports whether the files of a folder are unknown, because it or a folder above it could
// not be read.
func (s *Snapshot) unknown(folder string) bool {
	for at := folder; len(s.unread) > 0; {
		if _, ok := slices.BinarySearch(s.unread, at); ok {
			return true
		}
		slash := strings.LastIndexByte(at, '/')
		if slash < 0 {
			return false
		}
		at = at[:slash]
	}
	return false
}

// diff finds the changes in a folder.
func (f *folderState) diff(to *folderState, add func(folder, name string, reason Reason)) {
	if len(f.stamps) > 0 && len(f.stamps) == len(to.stamps) && &f.stamps[0] == &to.stamps[0] {
		return // Rescan did not look at it again
	}
	i, k := 0, 0
	a, b := f.targets, to.targets
	for i < len(f.files) || k < len(to.files) {
		order := 0
		switch {
		case i == len(f.files):
			order = 1
		case k == len(to.files):
			order = -1
		default:
			order = strings.Compare(f.files[i], to.files[k])
		}
		var old, now Stamp // of the files that links lead to
		if order <= 0 && len(a) > 0 && a[0].file == i {
			old, a = a[0].stamp, a[1:]
		}
		if order >= 0 && len(b) > 0 && b[0].file == k {
			now, b = b[0].stamp, b[1:]
		}
		switch {
		case order < 0:
			add(f.path, f.files[i], Deleted)
			i++
			continue
		case order > 0:
			add(f.path, to.files[k], Added)
			k++
			continue
		}
		if reason := cmp.Or(f.stamps[i].differs(to.stamps[k]), old.differs(now)); reason != "" {
			add(f.path, f.files[i], reason)
		}
		i, k = i+1, k+1
	}
}

// differs returns how a file changed, "" if it did not.
func (s Stamp) differs(to Stamp) Reason {
	switch {
	case s == to:
		return ""
	case s == Stamp{} || to == Stamp{}: // it could not be looked at once, or a link began or ceased to lead to it
		return Content
	case s.Mode.Type() != to.Mode.Type():
		return Kind
	case s.Modified != to.Modified || s.Size != to.Size || s.Inode != to.Inode:
		return Content
	case s.Mode != to.Mode:
		return Mode
	}
	return Touched
}
