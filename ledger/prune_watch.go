package ledger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A watchFiles holds the files of a watch by their suffixes.
type watchFiles struct {
	id    string
	files map[string]fs.FileInfo
}

// newest returns when the newest of the files was written.
func (w watchFiles) newest() (at time.Time) {
	for _, info := range w.files {
		if info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	return at
}

// pruneWatches removes what no watch will take over:
//
//   - states and locks of watches that no process holds, and whose program is not in a living session
//   - files that were set aside or left behind
//   - tokens, by age and rank, as for sessions
//
// The first two must be older than p.Before. Everything from the last hour stays.
func (d Dir) pruneWatches(p Pruning, living []Session, now time.Time, remove func(path string, bytes int64)) error {
	folder := d.file(watchDir)
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return nil // there are no watches, or a link leads to files of others
	}
	latest := now.Add(-startupAge)
	before := p.Before
	if before.After(latest) {
		before = latest
	}
	listed, err := listWatchFolder(folder)
	for _, info := range listed.spare {
		if info.ModTime().Before(before) {
			remove(filepath.Join(folder, info.Name()), diskBytes(info))
		}
	}
	for _, w := range listed.watches {
		if w.newest().Before(before) {
			d.pruneWatch(w, p.Dry, living, before, remove)
		}
	}
	for i, info := range listed.tokens {
		if at := info.ModTime(); at.Before(latest) && p.Goes(len(listed.tokens)-1-i, now.Sub(at), 0) {
			remove(filepath.Join(folder, info.Name()), diskBytes(info))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// A watchFolder has the regular files in the folder of watches by what they are for.
type watchFolder struct {
	watches map[string]*watchFiles
	tokens  []fs.FileInfo // oldest first
	spare   []fs.FileInfo // set aside, or not renamed by a writer that was killed
}

// listWatchFolder lists the files in the folder of watches. It leaves out files that devtools did not make.
func listWatchFolder(folder string) (watchFolder, error) {
	list := watchFolder{watches: map[string]*watchFiles{}}
	entries, err := os.ReadDir(folder) // sorted
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // the file is gone, or devtools did not make it
		}
		name := entry.Name()
		suffix := filepath.Ext(name)
		id := strings.TrimSuffix(name, suffix)
		switch {
		case isSpareOfWatch(name):
			list.spare = append(list.spare, info)
		case suffix == tokenSuffix && IsToken(id):
			list.tokens = append(list.tokens, info)
		case suffix == ".json", suffix == sourcesSuffix, suffix == ".lock":
			if list.watches[id] == nil {
				list.watches[id] = &watchFiles{id, map[string]fs.FileInfo{}}
			}
			list.watches[id].files[suffix] = info
		}
	}
	return list, err
}

// isSpareOfWatch reports whether a file was set aside, or has the name of new content that is to be renamed.
func isSpareOfWatch(name string) bool {
	if _, aside := asideOf(name); aside {
		return true
	}
	return name[0] == '.' && slices.ContainsFunc([]string{".json", sourcesSuffix, tokenSuffix}, func(suffix string) bool {
		return strings.Contains(name, suffix+".")
	})
}

// pruneWatch removes the files of a watch, under the watch's lock. It removes nothing if a process holds the watch or
// its program is alive. The lock file goes last. A process that waits for the lock then notices that the file is
// another one now.
func (d Dir) pruneWatch(w *watchFiles, dry bool, living []Session, before time.Time, remove func(path string, bytes int64)) {
	path, err := d.watch(w.id, ".lock")
	if err != nil {
		return // no watch has such a name
	}
	release, free := claimFree(path, dry)
	if !free {
		return
	}
	defer release()
	d.noRepair = true // a damaged state is removed as well
	state, known := d.LoadWatch(w.id)
	if known && slices.ContainsFunc(living, func(s Session) bool { return s.ID == state.SessionID }) {
		return
	}
	for _, suffix := range []string{".json", sourcesSuffix, ".lock"} {
		file := strings.TrimSuffix(path, ".lock") + suffix
		info, err := os.Lstat(file)
		switch {
		case err != nil:
		case suffix == ".lock" && !unlinksOpen:
		case suffix != ".lock" && !info.ModTime().Before(before): // a watch has ended in the meantime
			return
		case suffix == ".lock" && w.files[".lock"] == nil: // claimFree made this file just now
			_ = os.Remove(file) // if the file stays, it does no harm
		default:
			remove(file, diskBytes(info))
		}
	}
}
