package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// endIn writes down in d that sessions have ended, one after the other.
func endIn(t *testing.T, d Dir, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		s := Session{ID: fmt.Sprintf("z%02d", i), Name: fmt.Sprint("n", i), Command: []string{"a"}, EndedAt: Time{time.Unix(int64(i), 0)}}
		if err := d.SaveSession(s); err != nil {
			t.Fatal(err)
		}
		for _, change := range []func(*Active) error{
			func(a *Active) error { a.Put(s); return nil },
			func(a *Active) error { a.End(s); return nil },
		} {
			if err := d.UpdateOne(t.Context(), s.ID, change); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// pastOf returns the names of the sessions that the active set remembers.
func pastOf(t *testing.T, d Dir) (names []string) {
	t.Helper()
	a, err := d.Active()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range a.Past() {
		names = append(names, p.Name)
	}
	return names
}

// The set remembers the last ten sessions that have left it, also beside the index of names, until they are pruned. A damaged
// set gets them back from the records; one that an older devtools wrote knows none.
func TestPast(t *testing.T) {
	d := newDir(t)
	if err := os.MkdirAll(filepath.Join(d.Path(), sessionsDir), 0o700); err != nil {
		t.Fatal(err)
	}
	endIn(t, d, 0, 12)
	hook := Session{ID: "z90", Name: "hook", Command: []string{"a"}, OnExitOf: "z00"}
	if err := d.Update(t.Context(), func(a *Active) error { a.End(hook); return nil }); err != nil {
		t.Fatal(err)
	}
	const last = "n2 n3 n4 n5 n6 n7 n8 n9 n10 n11"
	if got := strings.Join(pastOf(t, d), " "); got != last {
		t.Errorf("it remembers %s, not %s", got, last)
	}
	if s, err := d.Session("n3"); err != nil || s.ID != "z03" {
		t.Errorf("the index of names: %v, %v", s, err)
	}
	if err := os.WriteFile(d.file(activeFile), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(pastOf(t, d), " "); got != last {
		t.Errorf("damaged: it remembers %s, not %s", got, last)
	}
	endIn(t, d, 12, 13) // the first change after the damage writes the set anew
	if got := strings.Join(pastOf(t, d), " "); got != "n3 n4 n5 n6 n7 n8 n9 n10 n11 n12" {
		t.Errorf("after the damage: %s", got)
	}
	if err := d.forgetNames(t.Context(), []string{"z05", "z12"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(pastOf(t, d), " "); got != "n3 n4 n6 n7 n8 n9 n10 n11" {
		t.Errorf("pruned: %s", got)
	}
	if err := os.WriteFile(d.file(activeFile), []byte(`{"version":1,"sessions":[]}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := pastOf(t, d); len(got) > 0 {
		t.Errorf("of an older devtools: %v", got)
	}
}
