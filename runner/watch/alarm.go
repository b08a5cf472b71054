package watch

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// An alarm says when it is time to scan: when the file system tells of something, and now and then in any case. What it
// tells is a hint and no more: events get lost.
type alarm struct {
	ring    chan struct{} // holds a value when it is time
	ignored func(path string) bool
	events  *fsnotify.Watcher // nil where there are none
	wanted  chan []string     // the folders to listen to; has room for one value
	closed  chan struct{}

	mu      sync.Mutex
	folders map[string]bool // that are listened to
	doubted map[string]bool // of these, those whose names may be of others by now
	dirty   map[string]bool // folders in which something has happened
	all     bool            // something may have happened anywhere
	timer   *time.Timer
}

// openAlarm begins to listen, to nothing yet. Without events the alarm rings by time alone.
func openAlarm(events bool, ignored func(path string) bool, degraded func(error)) (*alarm, error) {
	a := &alarm{
		ring: make(chan struct{}, 1), ignored: ignored, wanted: make(chan []string, 1), closed: make(chan struct{}),
		folders: map[string]bool{}, doubted: map[string]bool{}, dirty: map[string]bool{},
	}
	a.timer = time.AfterFunc(time.Hour, func() { a.wake("") })
	if !events {
		return a, nil
	}
	watcher, err := fsnotify.NewBufferedWatcher(4096)
	if err != nil {
		return a, err
	}
	a.events = watcher
	go a.listen(watcher)
	go a.listenTo(degraded)
	return a, nil
}

func (a *alarm) listen(watcher *fsnotify.Watcher) {
	for {
		select {
		case e, ok := <-watcher.Events:
			if !ok {
				return
			}
			if a.doubt(e); !a.ignored(e.Name) {
				a.wake(filepath.Dir(e.Name))
			}
		case err, ok := <-watcher.Errors:
			if !ok {
				return
			}
			if err != nil { // most of all an overflow: some were lost
				a.doubtAll()
				a.wake("")
			}
		}
	}
}

// wake rings, for one folder, or for all.
func (a *alarm) wake(folder string) {
	a.mu.Lock()
	if folder == "" {
		a.all = true
	} else {
		a.dirty[folder] = true
	}
	a.mu.Unlock()
	select {
	case a.ring <- struct{}{}:
	default:
	}
}

// drain returns in which folders something may have happened since the last call, nil for anywhere.
func (a *alarm) drain() (folders []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.all {
		folders = []string{}
		for folder := range a.dirty {
			folders = append(folders, folder)
		}
	}
	a.all = false
	clear(a.dirty)
	return folders
}

// wakeIn rings for these folders after a while.
func (a *alarm) wakeIn(folders []string, after time.Duration) {
	time.AfterFunc(after, func() {
		for _, folder := range folders {
			a.wake(folder)
		}
	})
}

// ringIn rings after a while, if nothing else has had it ring before.
func (a *alarm) ringIn(after time.Duration) { a.timer.Reset(after) }

// doubt takes in that another folder may have the name of one that is listened to, or none.
func (a *alarm) doubt(e fsnotify.Event) {
	if !e.Has(fsnotify.Create) && !e.Has(fsnotify.Remove) && !e.Has(fsnotify.Rename) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.folders[e.Name] {
		a.doubted[e.Name] = true
	}
}

func (a *alarm) doubtAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.Copy(a.doubted, a.folders)
}

// follow has the alarm listen to these folders, and to no others, from soon on: it takes a while for many.
func (a *alarm) follow(folders []string) {
	if a.events == nil {
		return
	}
	select {
	case <-a.wanted: // older ones
	default:
	}
	a.wanted <- folders
}

// listenTo listens to the folders that are wanted, and tells of the first that it cannot have.
func (a *alarm) listenTo(degraded func(error)) {
	for {
		select {
		case folders := <-a.wanted:
			if err := a.heed(folders); err != nil && degraded != nil {
				degraded(err)
				degraded = nil
			}
		case <-a.closed:
			return
		}
	}
}

// heed listens to these folders, and to no others. What happens in a new one before that is not told of: the alarm rings
// for it. The error is the first; the alarm goes on with what it could have.
func (a *alarm) heed(folders []string) error {
	wanted := make(map[string]bool, len(folders))
	for _, folder := range folders {
		wanted[folder] = true
	}
	for _, folder := range a.leave(wanted) {
		_ = a.events.Remove(folder) // it may be gone
	}
	var first error
	for _, folder := range folders { // after those were left: one that was moved is listened to by one name only
		if a.follows(folder) {
			continue
		}
		switch err := a.events.Add(folder); {
		case err == nil:
			a.mu.Lock()
			a.folders[folder] = true
			a.mu.Unlock()
			a.wake(folder)
		case first == nil && !missing(err):
			first = err
		}
	}
	return first
}

// leave forgets the folders that are not wanted or are doubted, with all below these, and returns them.
func (a *alarm) leave(wanted map[string]bool) (left []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for folder := range a.folders {
		if !wanted[folder] || a.doubts(folder) {
			left = append(left, folder)
		}
	}
	for _, folder := range left {
		delete(a.folders, folder)
	}
	clear(a.doubted)
	return left
}

// doubts reports whether a folder, or one that it lies in, is doubted.
func (a *alarm) doubts(folder string) bool {
	for at := folder; len(a.doubted) > 0; at = filepath.Dir(at) {
		if a.doubted[at] {
			return true
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return false
}

func (a *alarm) follows(folder string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.folders[folder]
}

func (a *alarm) close() {
	a.timer.Stop()
	close(a.closed)
	if a.events != nil {
		_ = a.events.Close() // nothing of it is needed any more
	}
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
