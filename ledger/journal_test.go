package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"devtools/ledger/regular"
)

func journalled(pid int) Process {
	return Process{PID: pid, Start: uint64(100 + pid), Boot: "boot", Inode: uint64(1000 + pid), Name: "sleep", CommandLine: "sleep 1"}
}

func newJournal(t *testing.T) (Dir, string) {
	t.Helper()
	dir, err := Create(filepath.Join(t.TempDir(), FolderName))
	if err != nil {
		t.Fatal(err)
	}
	id, err := dir.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	return dir, id
}

func checkJournal(t *testing.T, dir Dir, id string, want ...Process) {
	t.Helper()
	got, err := dir.Journal(id)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("journal: -want +got\n%s", diff)
	}
}

func TestJournal(t *testing.T) {
	dir, id := newJournal(t)
	checkJournal(t, dir, id)
	for _, step := range []struct{ begun, ended []Process }{
		{begun: []Process{journalled(1), journalled(2)}},
		{begun: []Process{journalled(3)}, ended: []Process{journalled(1)}},
		{},
	} {
		if err := dir.AppendJournal(id, step.begun, step.ended); err != nil {
			t.Fatal(err)
		}
	}
	checkJournal(t, dir, id, journalled(2), journalled(3))

	again := journalled(2) // another process with the same pid
	again.Start++
	if err := dir.AppendJournal(id, []Process{again}, []Process{journalled(2)}); err != nil {
		t.Fatal(err)
	}
	checkJournal(t, dir, id, journalled(3), again)

	if err := dir.RewriteJournal(id, []Process{again}); err != nil {
		t.Fatal(err)
	}
	checkJournal(t, dir, id, again)
	if data, err := os.ReadFile(dir.journal(id)); err != nil || strings.Count(string(data), "\n") != 1 {
		t.Errorf("%q, %v", data, err)
	}
}

// The next writer ends a line that a crash has cut short. Lines that are not ours are skipped.
func TestJournalDamaged(t *testing.T) {
	dir, id := newJournal(t)
	if err := dir.AppendJournal(id, []Process{journalled(1)}, nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(dir.journal(id))
	if err != nil {
		t.Fatal(err)
	}
	damaged := string(data) + "\n\x00\n[]\n{\"pid\":-4}\n{\"v\":9,\"pid\":7,\"start\":8,\"later\":{}}\n" + string(data[:len(data)/2])
	if err := os.WriteFile(dir.journal(id), []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dir.AppendJournal(id, []Process{journalled(2)}, nil); err != nil {
		t.Fatal(err)
	}
	checkJournal(t, dir, id, journalled(1), Process{PID: 7, Start: 8}, journalled(2))

	long := `{"pid":3,"name":"` + strings.Repeat("x", 3*maxJournalLine) + `"}`
	for _, rest := range []string{"", "\n", "\n" + string(data)} {
		if err := os.WriteFile(dir.journal(id), []byte(string(data)+long+rest), 0o600); err != nil {
			t.Fatal(err)
		}
		checkJournal(t, dir, id, journalled(1))
	}
}

func TestJournalIsNoLink(t *testing.T) {
	dir, id := newJournal(t)
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, dir.journal(id)); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if regular.NoFollow == 0 {
		t.Skip("links are followed on this system")
	}
	if err := dir.AppendJournal(id, []Process{journalled(1)}, nil); err == nil {
		t.Error("it was written through a link")
	}
	if list, err := dir.Journal(id); err == nil || len(list) > 0 {
		t.Errorf("read through a link: %v, %v", list, err)
	}
	if err := os.Remove(dir.journal(id)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir.journal(id), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Journal(id); !errors.Is(err, ErrUnsafe) {
		t.Errorf("a folder: %v", err)
	}
}
