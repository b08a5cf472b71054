package census_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// A start notices sessions that have lost their holders: at once if they are few or in its way, and of many by chance.
func TestTake(t *testing.T) {
	self, err := proc.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	gone := ledger.Process{PID: 1 << 30, Start: 1, Boot: "earlier"}
	for _, test := range []struct {
		name         string
		living, lost int
		wants        string // what the new session needs: a name of a lost session, or nothing
		noticed      bool   // surely at the first start
	}{
		{"few", 3, 1, "", true},
		{"many lost", 1, 200, "", true},
		{"many living", 200, 1, "", false},
		{"many living, same name", 200, 1, "lost0", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, err := ledger.Create(filepath.Join(t.TempDir(), ledger.FolderName))
			if err != nil {
				t.Fatal(err)
			}
			if err := dir.Update(t.Context(), func(a *ledger.Active) error {
				for i := range test.living {
					a.Put(ledger.Session{ID: fmt.Sprintf("live%06d", i), Name: fmt.Sprint("live", i), Holder: track.Describe(self, nil)})
				}
				for i := range test.lost {
					a.Put(ledger.Session{ID: fmt.Sprintf("lost%06d", i), Name: fmt.Sprint("lost", i), Holder: gone})
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			taken := errors.New("taken")
			start := func() (left int) {
				t.Helper()
				const id = "new0000000"
				if err := census.Take(t.Context(), dir, id, func(a *ledger.Active) error {
					if a.Has(test.wants) {
						return taken
					}
					a.Put(ledger.Session{ID: id, Name: id, Holder: track.Describe(self, nil)})
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				a, err := dir.Active()
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range a.Sessions {
					if s.Holder == gone {
						left++
					}
				}
				return left
			}
			left := start()
			if test.noticed && left > 0 {
				t.Errorf("%d lost sessions are left after the first start", left)
			}
			for i := 1; left > 0 && i < 1000; i++ { // one of 13 starts notices it
				left = start()
			}
			if left > 0 {
				t.Errorf("%d lost sessions are left", left)
			}
		})
	}
}
