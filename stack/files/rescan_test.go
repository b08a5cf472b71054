package files

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"testing"
)

// A rescan of the changed folders has the same result as a whole snapshot.
func TestRescan(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { testRescan(t, rand.New(rand.NewPCG(seed, 7))) })
	}
}

func testRescan(t *testing.T, random *rand.Rand) {
	top := t.TempDir()
	name := func() string { return fmt.Sprintf("n%d", random.IntN(4)) }
	some := func(deep int) string {
		p := "."
		for range random.IntN(deep + 1) {
			p = path.Join(p, name())
		}
		return p
	}
	disk := func(p string) string { return filepath.Join(top, filepath.FromSlash(p)) }
	take := func() *Snapshot {
		s, err := TakeSnapshot(context.Background(), top, SnapshotOptions{Rules: NewRules(top, RuleOptions{Ignore: []string{"n3/n3"}}), Limits: Limits{1000, 20}, Again: true})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	now, partly := take(), 0
	for round := range 60 {
		var dirty []string
		for range 1 + random.IntN(4) {
			at := some(4)
			full := disk(at)
			if random.IntN(2) == 0 {
				_ = os.MkdirAll(full, 0o755) // a file may be in the way
				for up := at; up != "."; up = path.Dir(up) {
					dirty = append(dirty, path.Dir(up))
				}
			}
			file := path.Join(at, name())
			switch random.IntN(5) {
			case 0, 1:
				_ = os.WriteFile(disk(file), []byte(fmt.Sprint(round, random.Int())), 0o644)
			case 2:
				_ = os.RemoveAll(disk(file))
			case 3:
				to := path.Join(some(3), name())
				if os.Rename(disk(file), disk(to)) == nil {
					dirty = append(dirty, path.Dir(to))
				}
			case 4:
				_ = os.Symlink("n1", disk(path.Join(at, "link")))
			}
			dirty = append(dirty, at, path.Dir(file))
		}
		again, ok, err := now.Rescan(context.Background(), dirty)
		if err != nil {
			t.Fatal(err)
		}
		whole := take()
		if !ok {
			now = whole
			continue
		}
		partly++
		if changes := Diff(whole, again); len(changes) > 0 || again.Len() != whole.Len() {
			t.Fatalf("round %d, %q: %d and %d files, %v", round, dirty, again.Len(), whole.Len(), changes)
		}
		now = again
	}
	if partly < 50 {
		t.Errorf("only %d of 60 rounds were rescanned", partly)
	}
}
