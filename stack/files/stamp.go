package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Stamp tells one state of a file from another without reading the file.
type Stamp struct {
	Modified int64       // nanoseconds since 1970
	Changed  int64       // the same for the inode; 0 if the system has no such time
	Size     int64       // bytes
	Inode    uint64      // 0 if the system has none
	Mode     fs.FileMode // its kind and its permissions
}

// A target is the file that a link leads to.
type target struct {
	file  int // the index of the link among the files of the folder
	stamp Stamp
}

// takeStamps takes the stamps of the files in a folder that was read, and finds the targets of its links.
// It removes files that have gone since.
func (w *walk) takeStamps(s *scanner, d openedFolder, t task, r *reading) {
	all := d.stamps(r.folder.Files)
	r.stamps = all
	if slices.ContainsFunc(all, func(s Stamp) bool { return s.Mode == gone }) {
		var files []string // a new list, because another snapshot may share the names
		r.stamps = nil
		for i, stamp := range all {
			if stamp.Mode != gone {
				files, r.stamps = append(files, r.folder.Files[i]), append(r.stamps, stamp)
			}
		}
		r.folder.Files, r.whole = files, false
	}
	for i, stamp := range r.stamps {
		r.whole = r.whole && stamp != Stamp{} // without a stamp it is unknown what it is
		if stamp.Mode&fs.ModeSymlink != 0 {
			w.findTarget(s, t, r, i)
		}
	}
	if !t.beyond {
		return
	}
	r.below = slices.Clone(r.below)
	for i := range r.below {
		in := &r.below[i]
		in.beyond = true
		in.id, _ = idOf(w.disk(in.path)) // folders without an identity count as the same one
	}
}

// gone is the mode of a file that is gone. No file has it.
const gone = fs.ModeType

func (w *walk) disk(path string) string { return filepath.Join(w.top, filepath.FromSlash(path)) }

// findTarget finds what a link leads to. A file in the tree counts with its stamp, because the rules may
// ignore the file itself. A folder in the tree is walked in its own place. A file outside counts
// only if links are followed.
func (w *walk) findTarget(s *scanner, t task, r *reading, i int) {
	path := joined(t.path, r.folder.Files[i])
	real, err := filepath.EvalSymlinks(w.disk(path))
	if err != nil {
		return // it is broken or circular
	}
	inside := real == w.real || strings.HasPrefix(real, strings.TrimSuffix(w.real, string(filepath.Separator))+string(filepath.Separator))
	if !inside && !w.follow {
		return
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
	case !info.IsDir():
		r.targets = append(r.targets, target{i, stampOf(info)})
		folder := filepath.Dir(real)
		if rel, err := filepath.Rel(w.real, folder); err == nil && inside {
			folder = filepath.Join(w.top, rel)
		}
		if folder != w.disk(t.path) {
			r.linkTargets = append(r.linkTargets, folder)
		}
	case !inside:
		var found ruling
		if r.level != nil {
			found, s.path = r.level.judge(s.path, []byte(r.folder.Files[i]), true, w.rules.fold)
		}
		if id, ok := idOf(real); ok && !found.ignored {
			r.linked = append(r.linked, task{path: path, above: r.level, link: true, beyond: true, id: id})
		}
	}
}

// joined is path.Join for clean paths.
func joined(folder, name string) string {
	if folder == "." {
		return name
	}
	return folder + "/" + name
}
