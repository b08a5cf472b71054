package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	watchDir = "watch"

	// maxSources bounds the state of the sources of a watch, in bytes.
	maxSources = 256 << 20
)

// A Watch is what a watch has started, so that the next one can take it over. It belongs to who holds its claim.
type Watch struct {
	Version   int      `json:"version"`
	ID        string   `json:"id"`
	Setup     string   `json:"setup"` // what the command line asked for; what another setup has started is not taken over
	Watcher   Process  `json:"watcher"`
	Name      string   `json:"name"` // of the session of the program
	SessionID string   `json:"sessionId"`
	Program   Process  `json:"program"` // its main process
	StartedAt Time     `json:"startedAt"`
	Ending    bool     `json:"ending,omitzero"` // it is about to be replaced
	Ready     bool     `json:"ready"`           // it has been
	ReadyWhen []string `json:"readyWhen,omitempty"`
	Ports     []int    `json:"ports,omitempty"` // on which it listened when it was ready
	BuiltAt   Time     `json:"builtAt,omitzero"`
	Failed    bool     `json:"failed,omitzero"`   // the last build has; the program is of one before
	Outputs   []string `json:"outputs,omitempty"` // files that the build itself writes, from the working directory
	SavedAt   Time     `json:"savedAt"`
}

// sound reports whether the members are what they have to be. Whoever reads them signals processes by them.
func (w Watch) sound() bool {
	return isID(w.SessionID) && w.Program.PID > 0 && w.Watcher.PID >= 0 && !w.StartedAt.IsZero() && !w.SavedAt.IsZero() &&
		!slices.ContainsFunc(w.Ports, func(port int) bool { return port < 1 || port > 1<<16-1 })
}

// watch returns the path of a file of the watch id.
func (d Dir) watch(id, suffix string) (string, error) {
	if id == "" || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != "" || id[0] == '.' {
		return "", fmt.Errorf("watch %q: not an id", id)
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
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return overwrite(path, append(data, '\n'))
}

// LoadWatch returns the state of the watch id, if there is one. A damaged one is set aside.
func (d Dir) LoadWatch(id string) (w Watch, ok bool) {
	path, err := d.watch(id, ".json")
	if err != nil {
		return w, false
	}
	data, err := readFile(path)
	if err != nil {
		return w, false
	}
	if json.Unmarshal(data, &w) != nil || w.ID != id || !w.sound() {
		d.setAside(path)
		return Watch{}, false
	}
	return w, true
}

// DropWatch forgets the watch id.
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

// SaveSources keeps what write writes as the state of the sources from which the program of the watch id was made.
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

// LoadSources has read take that state.
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
	defer func() { _ = f.Close() }() // it was only read
	return read(io.LimitReader(f, maxSources))
}

// tokenMark is at the beginning of a token of the state of sources, and mostTokens how many are kept.
const (
	tokenMark  = "w-"
	mostTokens = 50
)

// The suffixes of states of sources: of a watch, and of a token. A watch may be called as a token is.
const (
	sourcesSuffix = ".sources"
	tokenSuffix   = ".token"
)

// ErrNoToken reports a token that is not there any more, or never was.
var ErrNoToken = errors.New("no such token")

// IsToken reports whether a text has the form of a token.
func IsToken(text string) bool {
	id, ok := strings.CutPrefix(text, tokenMark)
	return ok && isID(id)
}

// SaveToken keeps what write writes as the state of sources and returns the token by which it is found. The oldest
// tokens go.
func (d Dir) SaveToken(write func(io.Writer) error) (token string, err error) {
	token = tokenMark + newID(time.Now())
	if err := d.saveSources(token, tokenSuffix, write); err != nil {
		return "", err
	}
	d.dropTokens()
	return token, nil
}

// dropTokens removes the oldest tokens. Another process may do so at the same time, and what stays goes the next time.
func (d Dir) dropTokens() {
	folder, err := d.folder(watchDir)
	if err != nil {
		return
	}
	entries, _ := os.ReadDir(folder) // sorted, the oldest first
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !IsToken(strings.TrimSuffix(e.Name(), tokenSuffix)) || !strings.HasSuffix(e.Name(), tokenSuffix)
	})
	for _, e := range entries[:max(0, len(entries)-mostTokens)] {
		_ = os.Remove(filepath.Join(folder, e.Name()))
	}
}

// LoadToken has read take the state that a token stands for. The error is ErrNoToken if there is none.
func (d Dir) LoadToken(token string, read func(io.Reader) error) error {
	err := d.loadSources(token, tokenSuffix, read)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q: %w: the last %d are kept", token, ErrNoToken, mostTokens)
	}
	return err
}
