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

// An alarm says when it is time to scan: when the file system reports an event, and now and then in any case. Events
// are only hints, because events get lost.
type alarm struct {
	ring    chan struct{} // holds a value when it is time to scan
	ignored func(path string) bool
	events  *fsnotify.Watcher // nil where there are no events
	wanted  chan []string     // folders to listen to; has room for one value
	closed  chan struct{}

	mu      sync.Mutex
	folders map[string]bool // folders that the alarm listens to
	coming  map[string]bool // folders that heed makes it listen to just now
	doubted map[string]bool // those of folders whose path may now name another folder, or none
	dirty   map[string]bool // folders in which something has happened
	all     bool            // something may have happened anywhere
	timer   *time.Timer
}

// openAlarm returns an alarm that does not listen to any folder yet. If events is false, it rings by time alone.
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
			if err != nil { // mostly an overflow: some events were lost
				a.doubtAll()
				a.wake("")
			}
		}
	}
}

// wake rings for one folder, or for all folders if folder is "".
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

// drain returns the folders in which something may have happened since the last call. It returns nil if that may be
// anywhere.
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

// wakeIn rings for these folders after some time.
func (a *alarm) wakeIn(folders []string, after time.Duration) {
	time.AfterFunc(after, func() {
		for _, folder := range folders {
			a.wake(folder)
		}
	})
}

// ringIn rings after some time. A later call replaces that time: after a ring for another reason, the next scan sets a
// new one.
func (a *alarm) ringIn(after time.Duration) { a.timer.Reset(after) }

// doubt notes that the path of a listened folder may now name another folder, or none.
func (a *alarm) doubt(e fsnotify.Event) {
	if !e.Has(fsnotify.Create) && !e.Has(fsnotify.Remove) && !e.Has(fsnotify.Rename) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.folders[e.Name] || a.coming[e.Name] {
		a.doubted[e.Name] = true
	}
}

func (a *alarm) doubtAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.Copy(a.doubted, a.folders)
}

// follow makes the alarm listen to these folders, and to no others. It returns at once; for many folders it takes some
// time until the alarm listens.
func (a *alarm) follow(folders []string) {
	if a.events == nil {
		return
	}
	select {
	case <-a.wanted: // replaced by the new ones
	default:
	}
	a.wanted <- folders
}

// listenTo listens to the wanted folders. It reports the first folder to which it cannot listen.
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

// heed listens to these folders, and to no others. Events in a new folder before that moment are lost, so the alarm
// rings for it. heed returns the first error and continues with the other folders.
func (a *alarm) heed(folders []string) error {
	wanted := make(map[string]bool, len(folders))
	for _, folder := range folders {
		wanted[folder] = true
	}
	for _, folder := range a.leave(wanted) {
		_ = a.events.Remove(folder) // the folder may be gone
	}
	defer func() {
		a.mu.Lock()
		a.coming = nil
		a.mu.Unlock()
	}()
	var first error
	for _, folder := range folders { // After leave: a folder that was moved is then listened to under one path only.
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

// leave forgets the folders that are not wanted, and those that are doubted or below a doubted one. It returns them. From
// now on the wanted ones can be doubted: after a swap of two folders, the system names the events of the one by the path
// of the other until both are listened to anew.
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
	a.coming = wanted
	return left
}

// doubts reports whether a folder, or a folder above it, is doubted.
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
		_ = a.events.Close()
	}
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
