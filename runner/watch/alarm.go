package watch

import (
	"errors"
	"io/fs"
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

	mu    sync.Mutex
	dirty map[string]bool // folders in which something has happened
	all   bool            // something may have happened anywhere
	timer *time.Timer
}

// openAlarm begins to listen, to nothing yet. Without events the alarm rings by time alone.
func openAlarm(events bool, ignored func(path string) bool, degraded func(error)) (*alarm, error) {
	a := &alarm{
		ring: make(chan struct{}, 1), ignored: ignored, dirty: map[string]bool{}, wanted: make(chan []string, 1), closed: make(chan struct{}),
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
			if !a.ignored(e.Name) {
				a.wake(filepath.Dir(e.Name))
			}
		case err, ok := <-watcher.Errors:
			if !ok {
				return
			}
			if err != nil { // most of all an overflow: some were lost
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

// take returns in which folders something may have happened since the last call, nil for anywhere.
func (a *alarm) take() (folders []string) {
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

// later rings for these folders after a while.
func (a *alarm) later(folders []string, after time.Duration) {
	time.AfterFunc(after, func() {
		for _, folder := range folders {
			a.wake(folder)
		}
	})
}

// again rings after a while, if nothing else has had it ring before.
func (a *alarm) again(after time.Duration) { a.timer.Reset(after) }

// follow has the alarm listen to these folders, and to no others, from soon on: it takes a while for many. What happens
// in a new one before that is not told of: the alarm rings for it.
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

// listenTo listens to the folders that are wanted. It tells of the first that it cannot have.
func (a *alarm) listenTo(degraded func(error)) {
	listened := map[string]bool{}
	for {
		var folders []string
		select {
		case folders = <-a.wanted:
		case <-a.closed:
			return
		}
		wanted := make(map[string]bool, len(folders))
		for _, folder := range folders {
			if wanted[folder] = true; listened[folder] {
				continue
			}
			err := a.events.Add(folder)
			if err == nil {
				listened[folder] = true
				a.wake(folder)
			} else if !missing(err) && degraded != nil {
				degraded(err)
				degraded = nil
			}
		}
		for folder := range listened {
			if !wanted[folder] {
				_ = a.events.Remove(folder) // it may be gone
				delete(listened, folder)
			}
		}
	}
}

func (a *alarm) close() {
	a.timer.Stop()
	close(a.closed)
	if a.events != nil {
		_ = a.events.Close() // nothing of it is needed any more
	}
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
