package ledger

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// nothing writes the state of an empty set of sources.
func nothing(to io.Writer) error {
	_, err := io.Copy(to, bytes.NewReader([]byte("state")))
	return err
}

// watchState writes the state of a watch and dates it back.
func watchState(t *testing.T, d Dir, id, session string, ago time.Duration) {
	t.Helper()
	release, err := d.ClaimWatch(t.Context(), id)
	if err == nil {
		err = errors.Join(d.SaveWatch(Watch{ID: id, Program: Process{PID: 1}, StartedAt: Time{Time: time.Now()}, SessionID: session}), d.SaveSources(id, nothing))
	}
	if err != nil {
		t.Fatal(err)
	}
	release()
	backdate(t, d, id, ago)
}

// backdate dates the files of a watch or a token back.
func backdate(t *testing.T, d Dir, id string, ago time.Duration) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(d.file(watchDir), id+".*"))
	at := time.Now().Add(-ago)
	for _, file := range all {
		err = errors.Join(err, os.Chtimes(file, at, at))
	}
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
}

// filesOfWatches returns the names of the files in the folder of watches.
func filesOfWatches(t *testing.T, d Dir) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(d.file(watchDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// States of watches are removed, unless the watch or its program is running.
func TestPruneWatches(t *testing.T) {
	d, day := newDir(t), 24*time.Hour
	living := endedSession(t, d, "living", 30*day)
	if err := d.Update(t.Context(), func(a *Active) error {
		a.Put(Session{ID: living, Name: "living", Command: []string{"a"}, Status: StatusRunning})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	gone := endedSession(t, d, "gone", 30*day)
	watchState(t, d, "gone-1", gone, 20*day)
	watchState(t, d, "living-1", living, 20*day)
	watchState(t, d, "recent-1", gone, day)
	watchState(t, d, "running-1", gone, 20*day)
	release, err := d.ClaimWatch(t.Context(), "running-1")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	backdate(t, d, "running-1", 20*day)
	quit, err := d.ClaimWatch(t.Context(), "quit-1") // its lock is all that is left of it
	if err != nil {
		t.Fatal(err)
	}
	quit()
	backdate(t, d, "quit-1", 20*day)
	put := func(name string) {
		path, at := filepath.Join(d.file(watchDir), name), time.Now().Add(-20*day)
		if err := errors.Join(os.WriteFile(path, []byte("{"), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"unlocked-1.json", "gone-1.json.corrupt-20250101T000000.000", ".gone-1.sources.123", ".gone-1.json.123",
		"notes.txt", ".notes", "notes.corrupt-yesterday",
	} {
		put(name)
	}
	elsewhere := filepath.Join(t.TempDir(), "precious.json")
	if err := errors.Join(os.WriteFile(elsewhere, nil, 0o600), os.Symlink(elsewhere, filepath.Join(d.file(watchDir), "linked-1.json"))); err != nil {
		t.Fatal(err)
	}
	var old, new string
	for _, token := range []*string{&old, &new} {
		if *token, err = d.SaveToken(nothing); err != nil {
			t.Fatal(err)
		}
	}
	backdate(t, d, old, 20*day)
	p := Pruning{Goes: older(10*day, 0), Before: time.Now().Add(-10 * day), Lives: nothingLives, Dry: true}
	all := filesOfWatches(t, d)
	dry, err := d.Prune(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if got := filesOfWatches(t, d); !slices.Equal(got, all) {
		t.Errorf("a dry run changes\n%q to\n%q", all, got)
	}
	p.Dry = false
	done, err := d.Prune(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".notes", "linked-1.json"}
	for _, id := range []string{"living-1", "recent-1", "running-1"} {
		want = append(want, id+".json", id+".lock", id+".sources")
	}
	want = append(want, "notes.corrupt-yesterday", "notes.txt", new+".token")
	if slices.Sort(want); !unlinksOpen {
		want = slices.Sorted(slices.Values(append(want, "gone-1.lock", "quit-1.lock", "unlocked-1.lock")))
	}
	if got := filesOfWatches(t, d); !slices.Equal(got, want) {
		t.Errorf("left\n%q, want\n%q", got, want)
	}
	if n := len(all) - len(want); done.Files != n || dry.Files != n || dry.Bytes != done.Bytes {
		t.Errorf("%d files of %d bytes, announced %d of %d, want %d", done.Files, done.Bytes, dry.Files, dry.Bytes, n)
	}
	if err := d.LoadToken(old, func(io.Reader) error { return nil }); !errors.Is(err, ErrNoToken) {
		t.Errorf("the old token: %v", err)
	}
	// By number alone: what is of the last hour stays.
	p.Goes, p.Before = older(0, 0), time.Now()
	if _, err := d.Prune(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	left := strings.Join(filesOfWatches(t, d), " ")
	if strings.Contains(left, "recent-1.json") || !strings.Contains(left, new) || !strings.Contains(left, "running-1.json") || !strings.Contains(left, "living-1.json") {
		t.Error(left)
	}
}

// Locks are removed while other goroutines take and return claims. A claim never has two owners.
func TestPruneAgainstClaims(t *testing.T) {
	d := newDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	var holders, removed atomic.Int32
	var claimers, pruner sync.WaitGroup
	for range 4 {
		claimers.Go(func() {
			for range 300 {
				release, err := d.ClaimWatch(t.Context(), "web-1")
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold it", n)
				}
				if err := d.SaveWatch(Watch{ID: "web-1", Program: Process{PID: 1}, StartedAt: Time{Time: time.Now()}, SessionID: "0123456789"}); err != nil {
					t.Error(err)
				}
				if w, ok := d.LoadWatch("web-1"); !ok || w.SessionID != "0123456789" {
					t.Error("what was saved under the claim is gone")
				}
				holders.Add(-1)
				release()
			}
		})
	}
	pruner.Go(func() {
		for ctx.Err() == nil {
			w := &watchFiles{"web-1", map[string]os.FileInfo{".lock": nil}}
			if info, err := os.Lstat(filepath.Join(d.file(watchDir), "web-1.lock")); err == nil {
				w.files[".lock"] = info
			}
			d.pruneWatch(w, false, nil, time.Now().Add(time.Hour), func(path string, _ int64) {
				if os.Remove(path) == nil {
					removed.Add(1)
				}
			})
		}
	})
	claimers.Wait()
	cancel()
	pruner.Wait()
	if removed.Load() == 0 {
		t.Error("nothing was removed meanwhile")
	}
}

// The claim file alone names the process that has the claim. After its end it names nobody.
func TestClaimant(t *testing.T) {
	d := newDir(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	release, err := d.By(Process{PID: 4711, Start: 7, Boot: "b"}).ClaimWatch(t.Context(), "web-1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.ClaimWatch(ended, "web-1"); !errors.Is(err, ErrWatched) || !strings.HasSuffix(err.Error(), "by process 4711") {
		t.Error(err)
	}
	path := filepath.Join(d.file(watchDir), "web-1.lock")
	if p, ok := claimant(path); !ok || p.Start != 7 || p.Boot != "b" {
		t.Errorf("%+v", p)
	}
	release()
	if p, ok := claimant(path); ok {
		t.Errorf("%+v holds it, which was given back", p)
	}
	release, err = d.ClaimWatch(t.Context(), "web-1")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if p, ok := claimant(path); !ok || p.PID != os.Getpid() {
		t.Errorf("%+v, %v", p, ok)
	}
}

// TestMostTokens makes more tokens than are kept, several at a time, in a folder whose name is a glob pattern.
func TestMostTokens(t *testing.T) {
	d, err := Create(filepath.Join(t.TempDir(), "g[x]"))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range mostTokens / 2 {
				if _, err := d.SaveToken(nothing); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if _, err := d.SaveToken(nothing); err != nil {
		t.Fatal(err)
	}
	if left := filesOfWatches(t, d); len(left) != mostTokens {
		t.Errorf("%d tokens are left, want %d", len(left), mostTokens)
	}
}
