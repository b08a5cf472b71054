package files

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// A snapshot with an earlier one, read from a token, equals a snapshot without one, even if the
// rules have changed.
func TestTokenBefore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the time of a folder does not tell there")
	}
	dir := t.TempDir()
	rnd := rand.New(rand.NewPCG(6, 0))
	folders := []string{"", "a/", "a/b/", "c/", "d/e/", "d/e/f/", "d/e/f.o/"}
	names := []string{"f", "g", "h.o", "link", "sub/f"}
	for _, folder := range folders {
		lay(t, dir, map[string]string{folder + ignoreName: "", folder + "h.o": ""})
	}
	at := func(names ...string) string {
		return filepath.Join(dir, folders[rnd.IntN(len(folders))]+names[rnd.IntN(len(names))])
	}
	o := SnapshotOptions{}
	var before *Snapshot
	known, lost, same := 0, 0, 0
	for round := 0; round < 200 || round < 1000 && lost < 5; round++ { // few changes make it lose the names of a folder
		if round%2 == 0 {
			pass(t, dir)
		}
		for range rnd.IntN(3) {
			switch one := at(names...); rnd.IntN(8) { // an impossible change does nothing
			case 0:
				_ = os.MkdirAll(filepath.Dir(one), 0o777)
				_ = os.WriteFile(one, []byte("x"), 0o666)
			case 1:
				_ = os.RemoveAll(one)
			case 2:
				_ = os.Rename(one, at(names...))
			case 3:
				_ = os.Symlink([]string{"f", "../c", "new", "link"}[rnd.IntN(4)], one)
			case 4, 6, 7: // its name stays, and so does the time of its folder
				text := []string{"*.o\n", "sub/\n", "/f\n", "!h.o\n", "\n", "link\nd/e/f.o\n"}[rnd.IntN(6)]
				_ = os.WriteFile(at(ignoreName, ownName), []byte(text), 0o666)
			case 5:
				_ = os.Remove(at(ignoreName, ownName))
			}
		}
		o.Rules = NewRules(dir, alone(RuleOptions{}))
		o.Before = before
		with := snap(t, dir, o)
		o.Before = nil
		without := snap(t, dir, o)
		if changes := Diff(with, without); len(changes) > 0 || !slices.Equal(filesOf(with), filesOf(without)) || !slices.Equal(foldersOf(with), foldersOf(without)) {
			t.Fatalf("round %d: %v\n%v\n%v", round, changes, foldersOf(with), foldersOf(without))
		}
		for _, f := range with.folders {
			switch was := before.unchanged(f.path, f.self); {
			case was == nil:
				same++
			case f.whole:
				known++
			default:
				lost++
			}
		}
		var err error
		if before, err = ReadSnapshot(bytes.NewReader(tokenOf(t, with))); err != nil {
			t.Fatal(err)
		}
	}
	if known < 100 || lost < 5 || same < 100 {
		t.Errorf("the names of %d folders were known, of %d others some counted no more, %d were read", known, lost, same)
	}
}

func foldersOf(s *Snapshot) (all []string) {
	for path := range s.Folders() {
		all = append(all, path)
	}
	return all
}

// A folder that changed within a tick before it was read may change again and have the same stamp.
func TestBeforeWithinTick(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, test := range []struct {
		ago  time.Duration
		want bool
	}{{0, false}, {15 * time.Millisecond, false}, {25 * time.Millisecond, true}, {time.Second, false}, {3 * time.Second, true}, {-time.Hour, false}} {
		if got := quiet(Stamp{Changed: now.Add(-test.ago).UnixNano()}, now); got != test.want {
			t.Errorf("a folder that changed %v before is quiet: %v", test.ago, got)
		}
	}
	if quiet(Stamp{}, now) {
		t.Error("one without times is")
	}
}
