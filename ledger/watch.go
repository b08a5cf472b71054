package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"devtools/ledger/codec"
)

const (
	watchDir = "watch"

	// maxSources is the maximum size of the state of a watch's sources, in bytes.
	maxSources = 256 << 20
)

// A Watch describes what a watch has started, so that the next watch can take it over. Only the process with the
// watch's claim may change it.
type Watch struct {
	Version   int      `json:"version"`
	ID        string   `json:"id"`
	Setup     string   `json:"setup"` // what the command line asked for; a watch takes over only programs of the same setup
	Watcher   Process  `json:"watcher"`
	Name      string   `json:"name"` // name of the program's session
	SessionID string   `json:"sessionId"`
	Program   Process  `json:"program"` // main process of the program
	StartedAt Time     `json:"startedAt"`
	Ending    bool     `json:"ending,omitzero"` // the program is about to be replaced
	Ready     bool     `json:"ready"`           // the program has been ready
	ReadyWhen []string `json:"readyWhen,omitempty"`
	Ports     []int    `json:"ports,omitempty"` // ports on which it listened when it was ready
	BuiltAt   Time     `json:"builtAt,omitzero"`
	Failed    bool     `json:"failed,omitzero"`   // the last build failed; the program is from an earlier build
	Outputs   []string `json:"outputs,omitempty"` // files that the build itself writes, relative to the working directory
	SavedAt   Time     `json:"savedAt"`
}

// sound reports whether the fields have valid values. Processes are signalled by these values.
func (w Watch) sound() bool {
	return isID(w.SessionID) && w.Program.PID > 0 && w.Watcher.PID >= 0 && !w.StartedAt.IsZero() && !w.SavedAt.IsZero() &&
		!slices.ContainsFunc(w.Ports, func(port int) bool { return port < 1 || port > 1<<16-1 })
}

// watch returns the path of the file with this suffix of the watch id.
func (d Dir) watch(id, suffix string) (string, error) {
	if id == "" || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != "" || id[0] == '.' {
		return "", fmt.Errorf("watch %q: invalid id", id)
	}
	folder, err := d.folder(watchDir)
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, id+suffix), nil
}

// SaveWatch writes the state of a watch.
func (d Dir) SaveWatch(w Watch) error {
	w.Version, w.SavedAt = version, Time{Time: time.Now()}
	path, err := d.watch(w.ID, ".json")
	if err != nil {
		return err
	}
	data, err := codec.Marshal(w)
	if err != nil {
		return err
	}
	return overwrite(path, append(data, '\n'))
}

// LoadWatch returns the state of the watch id, if there is one. It sets a damaged state aside.
func (d Dir) LoadWatch(id string) (w Watch, ok bool) {
	path, err := d.watch(id, ".json")
	if err != nil {
		return w, false
	}
	data, err := readFile(path)
	if err != nil {
		return w, false
	}
	if codec.Unmarshal(data, &w) != nil || w.ID != id || !w.sound() {
		d.setAside(path)
		return Watch{}, false
	}
	return w, true
}

// WatchEnded notes that the program that the watch id started in this session has ended, so it is no longer ready. A living
// watch notes that itself.
func (d Dir) WatchEnded(id, sessionID string) error {
	w, ok := d.LoadWatch(id)
	if !ok || w.SessionID != sessionID || !w.Ready {
		return nil
	}
	now, cancel := context.WithCancel(context.Background())
	cancel() // do not wait for the claim
	release, err := d.ClaimWatch(now, id)
	if errors.Is(err, ErrWatched) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	if w, ok = d.LoadWatch(id); !ok || w.SessionID != sessionID {
		return nil
	}
	w.Ready = false
	return d.SaveWatch(w)
}

// DropWatch deletes the state of the watch id.
func (d Dir) DropWatch(id string) error {
	var errs []error
	for _, suffix := range []string{".json", sourcesSuffix} {
		path, err := d.watch(id, suffix)
		if err == nil {
			err = os.Remove(path)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// SaveSources stores the data that the function write writes. They are the state of the sources from which the
// program of the watch id was made.
func (d Dir) SaveSources(id string, write func(io.Writer) error) error {
	return d.saveSources(id, sourcesSuffix, write)
}

func (d Dir) saveSources(id, suffix string, write func(io.Writer) error) error {
	path, err := d.watch(id, suffix)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return writeThenRename(path, b.Bytes())
}

// LoadSources passes the data that SaveSources stored to the function read.
func (d Dir) LoadSources(id string, read func(io.Reader) error) error {
	return d.loadSources(id, sourcesSuffix, read)
}

func (d Dir) loadSources(id, suffix string, read func(io.Reader) error) error {
	path, err := d.watch(id, suffix)
	if err != nil {
		return err
	}
	f, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // the file was only read
	return read(io.LimitReader(f, maxSources))
}

// tokenMark begins every token. mostTokens is the number of tokens that are kept.
const (
	tokenMark  = "w-"
	mostTokens = 50
)

// The suffixes for states of sources: of a watch, and of a token. They differ because a watch may have an id that
// looks like a token.
const (
	sourcesSuffix = ".sources"
	tokenSuffix   = ".token"
)

// ErrNoToken reports a token that does not exist any more or never did.
var ErrNoToken = errors.New("no such token")

// IsToken reports whether text has the form of a token.
func IsToken(text string) bool {
	id, ok := strings.CutPrefix(text, tokenMark)
	return ok && isID(id)
}

// SaveToken stores the data that the function write writes, as the state of sources. It returns the token that stands
// for them. The oldest tokens are removed.
func (d Dir) SaveToken(write func(io.Writer) error) (token string, err error) {
	token = tokenMark + newID(time.Now())
	if err := d.saveSources(token, tokenSuffix, write); err != nil {
		return "", err
	}
	d.dropTokens()
	return token, nil
}

// dropTokens removes the oldest tokens. Another process may do so at the same time. What stays is removed the next
// time.
func (d Dir) dropTokens() {
	folder, err := d.folder(watchDir)
	if err != nil {
		return
	}
	entries, _ := os.ReadDir(folder) // sorted, oldest first
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !IsToken(strings.TrimSuffix(e.Name(), tokenSuffix)) || !strings.HasSuffix(e.Name(), tokenSuffix)
	})
	for _, e := range entries[:max(0, len(entries)-mostTokens)] {
		_ = os.Remove(filepath.Join(folder, e.Name()))
	}
}

// LoadToken passes the data that a token stands for to the function read. The error is ErrNoToken if the token does
// not exist.
func (d Dir) LoadToken(token string, read func(io.Reader) error) error {
	err := d.loadSources(token, tokenSuffix, read)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q: %w: the last %d are kept", token, ErrNoToken, mostTokens)
	}
	return err
}
