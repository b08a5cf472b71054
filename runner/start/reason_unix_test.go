//go:build unix

package start

import (
	"errors"
	"io"
	"net"
	"testing"

	"devtools/ledger"
)

// A holder that lives and says nothing does not keep its starter waiting.
func TestReasonOfLivingHolder(t *testing.T) {
	ours, theirs, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	failed := errors.New("not sent")
	s := &Starter{conn: conn.(io.ReadWriteCloser)}
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
