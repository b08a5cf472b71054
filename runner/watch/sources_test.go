package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"devtools/stack/files"
)

// TestSettleBesideGit has sources written for a while, beside a lock of git's index that stays: it is not waited for
// until that is old.
func TestSettleBesideGit(t *testing.T) {
	dir := t.TempDir()
	lock := filepath.Join(dir, ".git", "index.lock")
	if err := os.Mkdir(filepath.Dir(lock), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{filepath.Join(dir, ".git", "HEAD"): "ref: refs/heads/main\n", lock: ""} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := newSources(Sources{Base: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	alarm := make(chan struct{})
	s.alarm = alarm
	settled := make(chan error, 1)
	go func() { settled <- s.settle(t.Context(), 20*time.Millisecond) }()
	for range 30 { // for longer than changes are let come without git
		select {
		case alarm <- struct{}{}:
		case err := <-settled:
			t.Fatalf("settled while git writes: %v", err)
		}
		<-time.After(50 * time.Millisecond)
	}
	deadline := time.After(mostGit / 2)
	select {
	case err := <-settled:
		if err != nil {
			t.Error(err)
		}
	case <-deadline:
		t.Error("a lock that stays is waited for")
	}
}

// TestIgnoredFolders has an ignore file that leaves out all but some files: what happens to folders is not to be missed.
func TestIgnoredFolders(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".devtoolsignore"), []byte("*\n!*/\n!*.go\n/out/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := newSources(Sources{Base: dir, Rules: files.RuleOptions{NoGit: true}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.readRules()
	for name, want := range map[string]bool{"new": false, "new/x.go": false, "new/x.txt": false, "out": true, "out/x.go": true} {
		if got := s.ignored(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
