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

// pruneScripts removes saved code that no session uses. Code is used if a living or kept session names it. It may
// also be used if a living shell is old enough to have received it by name.
func (d Dir) pruneScripts(living, kept []Session, now time.Time, remove func(path string, bytes int64)) error {
	if info, err := os.Lstat(d.file(scriptsDir)); err != nil || !info.IsDir() {
		return nil // there are no scripts, or a link leads to files of others
	}
	entries, err := os.ReadDir(d.file(scriptsDir))
	used := map[string]bool{}
	for _, s := range kept {
		for _, argument := range s.Command {
			used[filepath.Base(argument)] = true
		}
	}
	before := now.Add(-startupAge)
	for _, s := range living {
		if _, err := os.Lstat(d.ShellFolder(s.ID)); err == nil && s.StartedAt.Before(before) {
			before = s.StartedAt.Time
		}
	}
	for _, entry := range entries {
		id, _, _ := strings.Cut(entry.Name(), ".")
		info, err := entry.Info()
		if err == nil && ownID(id) && info.Mode().IsRegular() && !used[entry.Name()] && info.ModTime().Before(before) {
			remove(filepath.Join(d.file(scriptsDir), entry.Name()), diskBytes(info))
		}
	}
	return err
}

// pruneLitter removes files that were set aside or left behind before a time. These are damaged files, files that a
// killed writer did not rename any more, and folders of sessions without a record.
func (d Dir) pruneLitter(living []Session, before, now time.Time, remove func(path string, bytes int64)) error {
	if before.IsZero() {
		return nil
	}
	if latest := now.Add(-startupAge); before.After(latest) {
		before = latest
	}
	var errs []error
	for _, folder := range []string{d.root, d.file(sessionsDir)} {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		for _, entry := range entries {
			path := filepath.Join(folder, entry.Name())
			info, err := entry.Info()
			if err != nil {
				continue // the file is gone
			}
			at, isAside := asideAt(entry.Name())
			switch {
			case isAside && info.Mode().IsRegular() && at.Before(before): // its content was written even earlier
				remove(path, diskBytes(info))
			case !info.ModTime().Before(before):
			case info.Mode().IsRegular() && isSpare(entry.Name()):
				remove(path, diskBytes(info))
			case info.IsDir() && folder != d.root && d.abandoned(entry.Name(), living):
				remove(path, folderSize(path, 1))
			}
		}
	}
	return errors.Join(errs...)
}

// abandoned reports whether the folder belongs to a session that has no record and is not alive.
func (d Dir) abandoned(id string, living []Session) bool {
	_, err := os.Lstat(d.record(id))
	return ownID(id) && errors.Is(err, fs.ErrNotExist) && !d.Held(id) && !d.inUse(id) && !slices.ContainsFunc(living, func(s Session) bool { return s.ID == id })
}

// asideAt returns when setAside gave a record this name. ok is false for other names.
func asideAt(name string) (at time.Time, ok bool) {
	file, _, _ := strings.Cut(name, asideMark)
	if id, isRecord := strings.CutSuffix(file, ".json"); file != activeFile && !(isRecord && ownID(id)) {
		return at, false
	}
	return asideOf(name)
}

// asideOf works as asideAt, for a file of any name.
func asideOf(name string) (at time.Time, ok bool) {
	_, stamp, ok := strings.Cut(name, asideMark)
	if !ok {
		return at, false
	}
	at, err := time.Parse(asideStamp, stamp)
	return at, err == nil
}

// isSpare reports whether writeThenRename uses such a name for the new content of a record.
func isSpare(name string) bool {
	id, chance, ok := strings.Cut(strings.TrimPrefix(name, "."), ".json.")
	return ok && name[0] == '.' && ownID(id) && chance != "" && strings.Trim(chance, "0123456789") == ""
}
