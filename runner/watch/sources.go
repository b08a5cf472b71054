package watch

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"devtools/stack/files"
)

// Sources say what is watched.
type Sources struct {
	Base   string   // working directory, with links resolved; paths are reported relative to it
	Paths  []string // files and folders, absolute; none means Base
	Ext    []string // file extensions with dots; none means all files
	Rules  files.RuleOptions
	Follow bool // targets of links count even outside the tree
	Poll   bool // do not trust events here

	Own []fs.FileInfo // files to which the watch itself prints; they never count
}

// sources are the watched files. They are scanned, and an alarm says when.
type sources struct {
	Sources
	tops     []*top
	alarm    <-chan struct{}
	bell     *alarm
	last     *state                          // state from the last scan, nil if that failed
	known    *state                          // state from the last successful scan
	due      time.Time                       // when everything must be scanned, whatever else happens
	led      atomic.Pointer[map[string]bool] // folders that contain the targets of links
	cost     time.Duration                   // duration of the last full scan
	silent   bool                            // some folders report no events
	deaf     chan error                      // why some folders report no events; has room for one value
	degraded func(why string)
	said     map[string]bool
	printed  sync.Map // full paths of files that were found to be in Own
}

// A top is one of the watched folders.
type top struct {
	path  string                      // absolute
	rules atomic.Pointer[files.Rules] // rules of the last scan
}

// openSources begins to watch.
func openSources(c Sources, degraded func(string)) (*sources, error) {
	s, err := newSources(c, degraded)
	if err != nil {
		return nil, err
	}
	poll := c.Poll
	for _, t := range s.tops {
		if why := remote(t.path); why != "" && !poll {
			poll = true
			s.tell(why + ": sources are scanned repeatedly, without file system events")
		}
	}
	if s.bell, err = openAlarm(!poll, s.ignored, func(err error) { s.deaf <- err }); err != nil {
		s.tell("file system events are not available: " + err.Error() + "; sources are scanned repeatedly")
	}
	s.alarm = s.bell.ring
	return s, nil
}

// newSources finds the folders to watch.
func newSources(c Sources, degraded func(string)) (*sources, error) {
	s := &sources{Sources: c, degraded: degraded, said: map[string]bool{}, deaf: make(chan error, 1)}
	for _, path := range orBase(c) {
		t := &top{path: path}
		if info, err := os.Stat(path); err != nil {
			return nil, err
		} else if !info.IsDir() {
			t.path = filepath.Dir(path)
		}
		s.tops = append(s.tops, t)
	}
	return s, nil
}

func (s *sources) close() { s.bell.close() }

// tell reports, once for each reason, that something does not work as well as it could.
func (s *sources) tell(why string) {
	if !s.said[why] {
		s.said[why] = true
		s.degraded(why)
	}
}

func (s *sources) backend() string {
	if s.bell.events == nil {
		return "poll"
	}
	return "events"
}

func orBase(c Sources) []string {
	if len(c.Paths) == 0 {
		return []string{c.Base}
	}
	return c.Paths
}

// These set the time between two scans without an alarm. It is safetyTime, or scanShare times the duration of a full
// scan if that is longer, but at most mostSafety. Where there are no events, it is pollTime, or pollShare times that
// duration if that is longer. Scans therefore take at most a share of 1/scanShare or 1/pollShare of the time, apart
// from one scan every mostSafety. A scan uses two processors. The second scan comes after safetyTime: the first one took
// 38 ms for two files, as a busy machine was still starting the program, which would mean 76 s.
const (
	safetyTime = 2 * time.Second
	mostSafety = 2 * time.Minute
	pollTime   = 500 * time.Millisecond
	scanShare  = 2000
	pollShare  = 20
)

// scan scans the sources, and sets the time when the alarm rings next. It scans all of them if all is true. Otherwise
// it scans only where the alarm says that something has happened, if that is enough.
func (s *sources) scan(ctx context.Context, all bool) (now *state, err error) {
	where := s.bell.drain()
	begin := time.Now()
	if !all && where != nil && s.last != nil && s.bell.events != nil {
		now, err = s.rescan(ctx, where)
	}
	partly := now != nil
	if !partly && err == nil {
		s.printed.Clear() // the paths may name other files by now
		now, err = s.scanAll(ctx, s.last)
		s.cost = time.Since(begin)
	}
	if err != nil { // the changes since the last scan are now unknown
		s.last = nil
		s.bell.ringIn(pollTime)
		return nil, err
	}
	first := s.known == nil
	s.last, s.known = now, now
	next := min(max(safetyTime, scanShare*s.cost), mostSafety)
	if first {
		next = safetyTime
	}
	if s.silent || s.bell.events == nil || slices.Contains(now.tops, absent) {
		next = max(pollTime, pollShare*s.cost)
	}
	soon := now.settles()
	switch {
	case !partly && soon > 0:
		next = soon
	case soon > 0:
		s.bell.wakeIn(where, soon)
	}
	if due := begin.Add(next); !partly || due.Before(s.due) {
		s.due = due
	}
	s.bell.ringIn(max(0, time.Until(s.due)))
	var folders []string
	led := map[string]bool{}
	for i, t := range now.tops {
		for folder := range t.Folders() {
			folders = append(folders, filepath.Join(s.tops[i].path, filepath.FromSlash(folder)))
		}
		folders = append(folders, t.LinkTargetFolders()...)
		for _, folder := range t.LinkTargetFolders() {
			led[folder] = true
		}
	}
	s.led.Store(&led)
	s.bell.follow(folders)
	select {
	case err := <-s.deaf:
		s.silent = true
		s.tell("some directories report no events, and are scanned from time to time: " + err.Error())
	default:
	}
	return now, nil
}

// rescan scans only these folders. It returns nil if a full scan is needed.
func (s *sources) rescan(ctx context.Context, folders []string) (*state, error) {
	if slices.ContainsFunc(folders, s.leads) { // the links themselves are in other folders
		return nil, nil
	}
	now := &state{}
	for i, t := range s.tops {
		var mine []string
		for _, folder := range folders {
			if rel, err := filepath.Rel(t.path, folder); err == nil && filepath.IsLocal(rel) {
				mine = append(mine, filepath.ToSlash(rel))
			}
		}
		snapshot, ok, err := s.last.tops[i].Rescan(ctx, mine)
		if !ok || err != nil {
			return nil, err
		}
		now.tops = append(now.tops, snapshot)
	}
	return now, nil
}

// leads reports whether links lead to files in the folder.
func (s *sources) leads(folder string) bool {
	led := s.led.Load()
	return led != nil && (*led)[folder]
}

// scanAll scans all sources, with the ignore files as they are now. before is an earlier state, or nil. A folder in it
// whose times prove that it is unchanged is not read again.
func (s *sources) scanAll(ctx context.Context, before *state) (*state, error) {
	s.readRules()
	return s.scanBy(ctx, before)
}

// readRules reads the ignore files.
func (s *sources) readRules() {
	for i, t := range s.tops {
		rules := s.rulesOf(i)
		rules.ReadAhead()
		t.rules.Store(rules)
	}
}

// scanBy does the work of scanAll with the rules that were read before.
func (s *sources) scanBy(ctx context.Context, before *state) (*state, error) {
	now := &state{}
	for i := range s.tops {
		t := s.tops[i]
		o := files.SnapshotOptions{
			Rules: t.rules.Load(), Limits: files.Limits{Files: mostFiles, Depth: mostDepth}, Follow: s.Follow, Again: s.bell != nil,
		}
		if before != nil && keepsTimes(t.path) {
			o.Before = before.tops[i]
		}
		snapshot, err := files.TakeSnapshot(ctx, t.path, o)
		switch {
		case missing(err) && s.last != nil: // the folder may come back
			snapshot = absent
		case err != nil:
			return nil, err
		}
		if s.known != nil && snapshot != absent {
			snapshot.Recall(s.known.tops[i])
		}
		if snapshot.Truncated {
			s.tell(fmt.Sprintf("%s has more than %d files: the others are not watched", t.path, mostFiles))
		}
		for _, p := range snapshot.Problems {
			s.tell(fmt.Sprintf("%s: %s", p.File, p.Reason))
		}
		now.tops = append(now.tops, snapshot)
	}
	return now, nil
}

// Limits for what is watched.
const (
	mostFiles = 1_000_000
	mostDepth = 100
)

// rulesOf returns the rules of a top, with the ignore files as they are now.
func (s *sources) rulesOf(i int) *files.Rules {
	o := s.Rules
	path := orBase(s.Sources)[i]
	if path != s.tops[i].path { // only one file is watched
		o.Ignore, o.Include = []string{"/*"}, []string{"/" + escaped(filepath.Base(path))}
	}
	return files.NewRules(s.tops[i].path, o)
}

// escaped returns a pattern that matches only this name.
func escaped(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if strings.IndexByte(`\*?[]!# `, name[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// ignored reports whether events of a path can be ignored because no file there counts.
func (s *sources) ignored(path string) bool {
	if _, own := s.printed.Load(path); own {
		return true
	}
	if s.leads(filepath.Dir(path)) {
		return false
	}
	for _, t := range s.tops {
		rel, err := filepath.Rel(t.path, path)
		if err != nil || !filepath.IsLocal(rel) || rel == "." {
			continue
		}
		rules := t.rules.Load()
		name := filepath.ToSlash(rel)
		// The path may be a file or a folder.
		if rules == nil || !rules.Explain(name, false).Ignored || !rules.Explain(name, true).Ignored {
			return false
		}
	}
	return true
}

// changes returns the changes from one state to a later one. Their paths are relative to the working directory.
func (s *sources) changes(from, to *state) (all []files.Change) {
	for i, t := range s.tops {
		for _, c := range files.Diff(from.tops[i], to.tops[i]) {
			if s.wanted(c.Path) && !s.own(filepath.Join(t.path, filepath.FromSlash(c.Path))) {
				if c.Reason == files.Deleted && s.there(i, c.Path) {
					c.Reason = leftOut
				}
				all = append(all, files.Change{Path: s.told(i, c.Path), Reason: c.Reason})
			}
		}
	}
	if len(s.tops) > 1 { // one top may lie inside another
		slices.SortFunc(all, func(a, b files.Change) int { return strings.Compare(a.Path, b.Path) })
		all = slices.CompactFunc(all, func(a, b files.Change) bool { return a.Path == b.Path })
	}
	return all
}

// leftOut is the reason of a file that exists but that the rules now exclude.
const leftOut files.Reason = "ignored"

// there reports whether a path of a top exists, as a regular file.
func (s *sources) there(i int, name string) bool {
	info, err := os.Lstat(filepath.Join(s.tops[i].path, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

// own reports whether the watch prints to the file.
func (s *sources) own(path string) bool {
	if len(s.Own) == 0 {
		return false
	}
	info, err := os.Lstat(path)
	is := err == nil && slices.ContainsFunc(s.Own, func(own fs.FileInfo) bool { return os.SameFile(own, info) })
	if is {
		s.printed.Store(path, true)
	}
	return is
}

// wanted reports whether files with that name count.
func (s *sources) wanted(path string) bool {
	return len(s.Ext) == 0 || slices.ContainsFunc(s.Ext, func(ext string) bool { return strings.HasSuffix(path, ext) })
}

// told returns a path of a top in the form of an event: relative to the working directory.
func (s *sources) told(i int, name string) string {
	full := filepath.Join(s.tops[i].path, filepath.FromSlash(name))
	if rel, err := filepath.Rel(s.Base, full); err == nil {
		full = rel
	}
	return filepath.ToSlash(full)
}
