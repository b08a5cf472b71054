package ledger

import (
	"slices"
	"testing"
	"time"
)

// Each session that starts is found once, also while its record is being written, and also after many others.
func TestNewcomers(t *testing.T) {
	d, err := Create(t.TempDir() + "/" + FolderName)
	if err != nil {
		t.Fatal(err)
	}
	start := func() string {
		t.Helper()
		id, err := d.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if err := d.SaveSession(Session{ID: id, Name: "web", Command: []string{"true"}, Status: StatusRunning, StartedAt: Time{Time: time.Now()}}); err != nil {
			t.Fatal(err)
		}
		return id
	}
	next := func(n *Newcomers) (ids []string) {
		t.Helper()
		sessions, err := n.Next()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sessions {
			ids = append(ids, s.ID)
		}
		return ids
	}
	first := start()
	all, later := d.Newcomers(), d.Newcomers()
	if err := later.KnowAll(); err != nil {
		t.Fatal(err)
	}
	if got := next(all); !slices.Equal(got, []string{first}) {
		t.Errorf("a Newcomers that knows none finds %q", got)
	}
	if got := next(later); len(got) > 0 {
		t.Errorf("it finds %q, which it knows", got)
	}
	second, third := start(), start()
	later.Know(third)
	if got := next(later); !slices.Equal(got, []string{second}) {
		t.Errorf("it finds %q, want %s", got, second)
	}
	if got := next(later); len(got) > 0 {
		t.Errorf("it finds %q again", got)
	}
	fourth := start()
	if got := next(later); !slices.Equal(got, []string{fourth}) {
		t.Errorf("it finds %q, want %s", got, fourth)
	}
}
