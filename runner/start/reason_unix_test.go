//go:build unix

package start

import (
	"errors"
	"os"
	"testing"

	"devtools/ledger"
	"devtools/runner/wire"
)

// duplexes returns both ends of a start-up channel.
func duplexes(t *testing.T) (near, far wire.Duplex) {
	t.Helper()
	for _, ends := range [][2]**os.File{{&far.In, &near.Out}, {&near.In, &far.Out}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close(); _ = w.Close() })
		*ends[0], *ends[1] = r, w
	}
	return near, far
}

// A holder that lives and says nothing does not keep its starter waiting.
func TestReasonOfLivingHolder(t *testing.T) {
	near, _ := duplexes(t)
	failed := errors.New("not sent")
	s := &Starter{conn: near}
	if err := s.reason(failed); err != failed {
		t.Errorf("%v", err)
	}
}

// What a holder leaves that ended before it started anything is removed. With a record, the session stays.
func TestRemoveUnstarted(t *testing.T) {
	dir, err := ledger.Create(t.TempDir() + "/" + ledger.FolderName)
	if err != nil {
		t.Fatal(err)
	}
	for _, recorded := range []bool{false, true} {
		id, err := dir.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		s := ledger.Session{ID: id, Name: "web", Command: []string{"a"}}
		if err := dir.Update(t.Context(), func(a *ledger.Active) error { a.Put(s); return nil }); err != nil {
			t.Fatal(err)
		}
		if recorded {
			if err := dir.SaveSession(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := removeUnstarted(dir, id); err != nil {
			t.Fatal(err)
		}
		if found, err := dir.Session(id); (err == nil) != recorded {
			t.Errorf("recorded %v: %+v, %v", recorded, found, err)
		}
	}
}
