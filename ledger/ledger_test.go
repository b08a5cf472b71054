package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"devtools/runner/runnertest/leftover"
)

// TestMain gives the test binary the roles of the other processes that the tests need.
func TestMain(m *testing.M) {
	switch role := os.Getenv("LEDGER_TEST_ROLE"); role {
	case "":
		os.Exit(leftover.Checked(m).Run())
	case "append":
		for i := 0; ; i++ {
			if err := appendOne(os.Getenv("LEDGER_TEST_DIR"), i); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
	case "log":
		logEvents(os.Getenv("LEDGER_TEST_DIR"), os.Getenv("LEDGER_TEST_ID"))
	case "append once":
		appendFifth(os.Getenv("LEDGER_TEST_DIR"))
	case "claim":
		d, err := Open(os.Getenv("LEDGER_TEST_DIR"))
		if err == nil {
			err = d.Claim(os.Getenv("LEDGER_TEST_ID"))
		}
		fmt.Println(err)
		select {} // until killed
	}
}

// appendOne adds a session and an event with the same number, and then prints the number.
func appendOne(dir string, i int) error {
	d, err := Open(dir)
	if err != nil {
		return err
	}
	id := fmt.Sprintf("%dz%d", os.Getpid(), i)
	if err := d.Update(context.Background(), func(a *Active) error {
		a.Put(Session{ID: id, Name: id, Command: []string{"a"}})
		a.Log(Event{Event: EventStarted, PID: os.Getpid(), SessionID: id, Cmd: strings.Repeat("x", i%2000)})
		if len(a.Sessions) > 20 {
			a.Sessions = a.Sessions[10:]
		}
		return nil
	}); err != nil {
		return err
	}
	_, err = fmt.Println(id)
	return err
}

func newDir(t *testing.T) Dir {
	t.Helper()
	d, err := Create(filepath.Join(t.TempDir(), FolderName))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	t.Setenv("HOME", filepath.Join(root, "home"))
	t.Setenv("TMPDIR", filepath.Join(root, "temp"))
	for _, folder := range []string{
		"home/.devtools", "home/.git/", "home/plain", "home/repo/.git/", "home/repo/deep/er", "repo/.git/", "repo/a/.devtools", "repo/a/b",
		"outside", "nested/.devtools", "nested/repo/.git/", "nested/repo/x", "work/.devtools", "work/x", "repo/empty/.git", "repo/empty/x",
		"temp/.devtools", "temp/x", "repo/open/.git/", "repo/open/.devtools", "repo/open/x/y", "repo/wide/x/y", "repo/shared/.git/", "repo/shared/x",
	} {
		made := []string{folder}
		if repository, ok := strings.CutSuffix(folder, "/"); ok { // what git would take
			made = []string{repository + "/objects", repository + "/refs"}
		}
		for _, name := range made {
			if err := os.MkdirAll(filepath.Join(root, name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if strings.HasSuffix(folder, "/") {
			if err := os.WriteFile(filepath.Join(root, folder, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct{ from, want string }{
		{"repo", "repo"},
		{"repo/a/b", "repo/a"},
		{"repo/a", "repo/a"},
		{"home/repo/deep/er", "home/repo"},
		{"home/plain", "home/plain"}, // neither the one of the home folder nor beside its .git
		{"home", "home"},             // but for those who work there
		{"nested/repo/x", "nested/repo"},
		{"work/x", "work"},
		{"outside", "outside"},
		{"repo/empty/x", "repo"},
		{"temp/x", "temp/x"},
		{"temp", "temp"},
	}
	if closedModes {
		for folder, mode := range map[string]os.FileMode{"repo/open": 0o777, "repo/wide/x": 0o777, "repo/shared": 0o770} {
			if err := os.Chmod(filepath.Join(root, folder), mode); err != nil {
				t.Fatal(err)
			}
		}
		tests = append(tests, []struct{ from, want string }{
			{"repo/open", "repo/open"}, {"repo/open/x", "repo/open"}, {"repo/open/x/y", "repo/open"}, {"repo/wide/x", "repo"}, {"repo/wide/x/y", "repo/wide/x/y"}, {"repo/shared/x", "repo/shared"},
		}...)
	}
	for _, test := range tests {
		if got, want := Find(filepath.Join(root, test.from)), filepath.Join(root, test.want, FolderName); got != want {
			t.Errorf("from %s: %s, want %s", test.from, got, want)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link} {
		if _, err := Create(path); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if os.Geteuid() == 0 {
		other := filepath.Join(root, "other")
		if err := errors.Join(os.Mkdir(other, 0o700), os.Chown(other, 12345, 12345)); err != nil {
			t.Fatal(err)
		}
		if _, err := Create(other); !errors.Is(err, ErrUnsafe) {
			t.Errorf("somebody else's: %v", err)
		}
	}
	if _, err := Create(filepath.Join(root, "no", "parent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a parent: %v", err)
	}
}

func TestCreateCloses(t *testing.T) {
	path := filepath.Join(t.TempDir(), FolderName)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestSessionRecord(t *testing.T) {
	d := newDir(t)
	id, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	code := 3
	want := Session{
		Version: version, ID: id, Name: "web", Status: StatusCompleted, Command: []string{"a", "<b>"}, Cwd: "/x", Size: Size{80, 24},
		Main: Process{PID: 5, Start: 1 << 60, Boot: "b"}, StartedAt: Time{time.UnixMilli(1700000000123).UTC()},
		EndedAt: Time{time.UnixMilli(1700000001120).UTC()}, ExitCode: &code, Leftovers: []Process{{PID: 7}},
	}
	if err := d.SaveSession(want); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{id, "web"} {
		got, err := d.Session(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if data, err := os.ReadFile(d.record(id)); err != nil || !strings.Contains(string(data), `"endedAt":"2023-11-14T22:13:21.120Z"`) {
		t.Errorf("%s, %v", data, err)
	}
	if _, err := d.Session("nosuch"); !errors.Is(err, ErrNoSession) {
		t.Error(err)
	}
}

// A name means the living session, otherwise the newest one.
func TestSessionByName(t *testing.T) {
	d := newDir(t)
	var ids []string
	for range 3 {
		id, err := d.NewSession()
		if err == nil {
			err = d.SaveSession(Session{ID: id, Command: []string{"a"}, Name: "web", EndedAt: Time{time.Now()}})
		}
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	newest := max(ids[0], ids[1], ids[2]) // made within a millisecond, they are in order of chance
	if s, err := d.Session("web"); err != nil || s.ID != newest {
		t.Errorf("%s, %v, want %s", s.ID, err, newest)
	}
	oldest := min(ids[0], ids[1], ids[2])
	if err := d.Update(t.Context(), func(a *Active) error { a.Put(Session{ID: oldest, Command: []string{"a"}, Name: "web"}); return nil }); err != nil {
		t.Fatal(err)
	}
	if s, err := d.Session("web"); err != nil || s.ID != oldest {
		t.Errorf("%s, %v, want %s", s.ID, err, oldest)
	}
}

func TestUpdateKeepsOnError(t *testing.T) {
	d := newDir(t)
	if err := d.Update(t.Context(), func(a *Active) error { a.Put(Session{ID: "1", Command: []string{"a"}}); return nil }); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	if err := d.Update(t.Context(), func(a *Active) error {
		a.Remove("1")
		a.Log(Event{Event: EventKilled})
		return failed
	}); err != failed {
		t.Fatal(err)
	}
	if a, err := d.Active(); err != nil || len(a.Sessions) != 1 {
		t.Errorf("%v, %v", a, err)
	}
	for e := range d.Events() {
		t.Errorf("event %v", e)
	}
}

func TestLockWaitEnds(t *testing.T) {
	d := newDir(t)
	unlock, err := d.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := d.Update(ctx, func(*Active) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	unlock()
	if err := d.Update(t.Context(), func(*Active) error { return nil }); err != nil {
		t.Error(err)
	}
}

// The claim is free when its process is gone, however it ended.
func TestClaim(t *testing.T) {
	d := newDir(t)
	id, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if d.Held(id) || d.Held("nosuch") {
		t.Error("held before it was claimed")
	}
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), "LEDGER_TEST_ROLE=claim", "LEDGER_TEST_DIR="+d.Path(), "LEDGER_TEST_ID="+id)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	var claimed string
	if _, err := fmt.Fscan(out, &claimed); err != nil || claimed != "<nil>" {
		t.Fatalf("%q, %v", claimed, err)
	}
	if !d.Held(id) {
		t.Error("not held")
	}
	if err := d.Claim(id); err == nil {
		t.Error("claimed twice")
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // killed
	if d.Held(id) {
		t.Error("held by the dead")
	}
}

// Writers may be killed at any moment. Every acknowledged event is in the log, every line but torn ones parses, and the
// active set can always be read.
func TestWritersKilled(t *testing.T) {
	d := newDir(t)
	writers, kills := 8, 40
	if testing.Short() {
		writers, kills = 2, 4
	}
	acknowledged := map[string]bool{}
	type writer struct {
		cmd  *exec.Cmd
		out  *os.File
		path string
	}
	start := func() writer {
		f, err := os.CreateTemp(t.TempDir(), "out")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "LEDGER_TEST_ROLE=append", "LEDGER_TEST_DIR="+d.Path())
		cmd.Stdout = f
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return writer{cmd, f, f.Name()}
	}
	var running []writer
	for range writers {
		running = append(running, start())
	}
	stop := func(w writer) {
		_ = w.cmd.Process.Kill()
		_ = w.cmd.Wait() // killed
		_ = w.out.Close()
		data, err := os.ReadFile(w.path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if id, whole := strings.CutSuffix(line, "\n"); whole {
				acknowledged[id] = true
			}
		}
	}
	for i := range kills {
		if a, err := d.Active(); err != nil || len(a.Sessions) > 21 {
			t.Fatalf("active set of %d, %v", len(a.Sessions), err)
		}
		// Somebody must have written since the last kill: that is the event to wait for.
		before := eventSize(t, d)
		for eventSize(t, d) < before+int64(1000*(i%5)) {
			if err := d.Update(t.Context(), func(*Active) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		stop(running[i%writers])
		running[i%writers] = start()
	}
	for _, w := range running {
		stop(w)
	}
	found := map[string]bool{}
	for e, err := range d.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if found[e.SessionID] {
			t.Errorf("event %s twice", e.SessionID)
		}
		found[e.SessionID] = true
	}
	for id := range acknowledged {
		if !found[id] {
			t.Errorf("event %s is lost", id)
		}
	}
	if len(acknowledged) == 0 {
		t.Error("nobody wrote")
	}
}

func eventSize(t *testing.T, d Dir) int64 {
	t.Helper()
	info, err := os.Stat(d.file(eventFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestNewIDSorts(t *testing.T) {
	last := ""
	for _, at := range []string{"2020-01-01T00:00:00Z", "2026-11-20T12:00:00Z", "2026-11-20T12:00:00.001Z", "2053-12-31T23:59:59Z"} {
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		id := newID(now)
		if len(id) != 10 || id[:8] <= last {
			t.Errorf("%s: %s after %s", at, id, last)
		}
		last = id[:8]
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{0, 100000} {
		b.Run(fmt.Sprintf("events=%d", n), func(b *testing.B) {
			d, err := Create(filepath.Join(b.TempDir(), FolderName))
			if err != nil {
				b.Fatal(err)
			}
			event := Event{Event: EventStarted, PID: 1, Name: "node", Cmd: "npm run dev", Terminal: "web", SessionID: "k3f9x2"}
			line, err := json.Marshal(event)
			if err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(d.file(eventFile), []byte(strings.Repeat(string(line)+"\n", n)), 0o600); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Update(context.Background(), func(a *Active) error {
					a.Put(Session{ID: "1", Command: []string{"a"}, Name: "web"})
					a.Log(event)
					return nil
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Then runs its function after the events are written, and never after a failed change.
func TestUpdateThen(t *testing.T) {
	dir, _ := newJournal(t)
	refused := errors.New("refused")
	done := 0
	for _, result := range []error{refused, nil} {
		err := dir.Update(t.Context(), func(a *Active) error {
			a.Log(Event{Event: EventStarted, SessionID: "x"})
			a.Then(func() {
				for range dir.Events() {
					done++
				}
			})
			return result
		})
		if err != result {
			t.Fatal(err)
		}
	}
	if done != 1 {
		t.Errorf("%d events were there, want 1", done)
	}
}
