package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Stamp is what tells one state of a file from another without reading it.
type Stamp struct {
	Modified int64       // nanoseconds since 1970
	Changed  int64       // the same of the inode; 0 where the system has none
	Size     int64       // bytes
	Inode    uint64      // 0 where the system has none
	Mode     fs.FileMode // what kind of a file it is, and its permissions
}

// A target is the file that a link leads to.
type target struct {
	file  int // the link's place among the files of the folder
	stamp Stamp
}

// look takes the stamps of the files in a folder that was read, and finds where its links lead. A file that is gone
// since its name was read is taken out.
func (w *walk) look(s *scanner, d openedFolder, t task, r *reading) {
	all := d.stamps(r.folder.Files)
	r.stamps = all
	if slices.ContainsFunc(all, func(s Stamp) bool { return s.Mode == gone }) {
		var files []string // a new list, because the names may be those of another snapshot
		r.stamps = nil
		for i, stamp := range all {
			if stamp.Mode != gone {
				files, r.stamps = append(files, r.folder.Files[i]), append(r.stamps, stamp)
			}
		}
		r.folder.Files, r.whole = files, false
	}
	for i, stamp := range r.stamps {
		r.whole = r.whole && stamp != Stamp{} // else it is not known what it is
		if stamp.Mode&fs.ModeSymlink != 0 {
			w.lead(s, t, r, i)
		}
	}
	if !t.beyond {
		return
	}
	r.below = slices.Clone(r.below)
	for i := range r.below {
		in := &r.below[i]
		in.beyond = true
		in.id, _ = idOf(w.disk(in.path)) // what cannot be told from others is taken for one of them
	}
}

// gone is the mode of what is not there any more, which no file has.
const gone = fs.ModeType

func (w *walk) disk(path string) string { return filepath.Join(w.top, filepath.FromSlash(path)) }

// lead finds what a link leads to. What lies in the tree counts with its stamp, because the rules may leave out the
// file itself; a folder in the tree is walked where it lies. What lies outside counts where links are followed.
func (w *walk) lead(s *scanner, t task, r *reading, i int) {
	path := joined(t.path, r.folder.Files[i])
	real, err := filepath.EvalSymlinks(w.disk(path))
	if err != nil {
		return // it leads nowhere, or in a circle
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
			r.led = append(r.led, folder)
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

// joined is path.Join for paths that are clean.
func joined(folder, name string) string {
	if folder == "." {
		return name
	}
	return folder + "/" + name
}
