package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func nothingLives(Session) bool { return false }

// endedSession makes a session that ended some time ago, with a transcript.
func endedSession(t *testing.T, d Dir, name string, ago time.Duration, command ...string) (id string) {
	t.Helper()
	id, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := lockAt(t.Context(), d.claim(id)) // as its holder has it
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	end := Time{time.Now().Add(-ago)}
	err = errors.Join(
		d.SaveSession(Session{ID: id, Name: name, Command: append(command, "a"), Status: StatusCompleted, EndedAt: end, Closed: true}),
		os.WriteFile(filepath.Join(d.SessionFolder(id), "output.0"), make([]byte, 10000), 0o600),
		os.Mkdir(d.ShellFolder(id), 0o700),
		os.WriteFile(filepath.Join(d.ShellFolder(id), "rc"), make([]byte, 10000), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func names(sessions []Removed) (list []string) {
	for _, s := range sessions {
		list = append(list, s.Name)
	}
	return list
}

// older selects sessions older than age, but not the newest keep ones.
func older(age time.Duration, keep int) func(int, time.Duration, int64) bool {
	return func(rank int, since time.Duration, _ int64) bool { return rank >= keep && since >= age }
}

func TestPrune(t *testing.T) {
	d := newDir(t)
	for i, name := range []string{"a", "b", "c", "d"} {
		endedSession(t, d, name, time.Duration(40-10*i)*24*time.Hour)
	}
	dry, err := d.Prune(t.Context(), Pruning{Goes: older(15*24*time.Hour, 0), Lives: nothingLives, Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(d.file(pruneFile)); err == nil {
		t.Error("a dry run writes")
	}
	if all, err := d.Sessions(); err != nil || len(all) != 4 {
		t.Errorf("a dry run removes: %d are left, %v", len(all), err)
	}
	done, err := d.Prune(t.Context(), Pruning{Goes: older(15*24*time.Hour, 0), Lives: nothingLives})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(done.Sessions); !cmp.Equal(got, []string{"a", "b", "c"}) || done.Kept != 1 || done.Bytes < 60000 || done.Bytes > 200000 {
		t.Errorf("%+v", done)
	}
	if dry.Dry = false; !cmp.Equal(dry, done) {
		t.Errorf("announced: %+v", dry)
	}
	entries, err := os.ReadDir(d.file(sessionsDir))
	if err != nil || len(entries) != 2 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// Sessions that may be alive stay, however old they are. So do files that devtools did not make.
func TestPruneSparesTheLiving(t *testing.T) {
	d := newDir(t)
	year := 365 * 24 * time.Hour
	inSet, held, alive, gone := endedSession(t, d, "set", year), endedSession(t, d, "held", year), endedSession(t, d, "alive", year), endedSession(t, d, "gone", year)
	if err := d.Update(t.Context(), func(a *Active) error {
		a.Put(Session{ID: inSet, Name: "set", Command: []string{"a"}, Status: StatusOrphaned})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockAt(t.Context(), d.claim(held))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	starting, err := d.NewSession() // its record is not written yet
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	stranger, linked := d.file(sessionsDir+"/notes.txt"), "0123456789"
	err = errors.Join(os.WriteFile(stranger, nil, 0o600), os.Mkdir(d.file(sessionsDir+"/My Notes"), 0o700), os.Mkdir(elsewhere, 0o700),
		os.WriteFile(filepath.Join(elsewhere, "precious"), nil, 0o600), os.Symlink(elsewhere, d.SessionFolder(linked)),
		d.SaveSession(Session{ID: linked, Name: "linked", Command: []string{"a"}, EndedAt: Time{time.Now().Add(-year)}}),
		d.SaveSession(Session{ID: "abc", Name: "abc", Command: []string{"a"}, EndedAt: Time{time.Now().Add(-year)}}))
	if err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-year)
	if err := errors.Join(os.Chtimes(stranger, past, past), os.Chtimes(d.file(sessionsDir+"/My Notes"), past, past)); err != nil {
		t.Fatal(err)
	}
	done, err := d.Prune(t.Context(), Pruning{Goes: older(0, 0), Before: time.Now(), Lives: func(s Session) bool { return s.ID == alive }})
	if err != nil {
		t.Fatal(err)
	}
	got := names(done.Sessions)
	slices.Sort(got)
	if !cmp.Equal(got, []string{"gone", "linked"}) || done.Kept != 0 || done.Files != 0 {
		t.Errorf("%+v", done)
	}
	for _, path := range []string{d.record(inSet), d.record(held), d.record(alive), d.record("abc"), d.SessionFolder(held), d.SessionFolder(starting), stranger, d.file(sessionsDir + "/My Notes"), filepath.Join(elsewhere, "precious")} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(d.SessionFolder(gone)); err == nil {
		t.Error("a folder stays")
	}
}

// Files without a session are removed only if they are unused and old enough.
func TestPruneLitter(t *testing.T) {
	d := newDir(t)
	day := 24 * time.Hour
	script := func(age time.Duration) string {
		path, err := d.SaveScript([]byte("true\n"), ".sh")
		if err == nil {
			at := time.Now().Add(-age)
			err = os.Chtimes(path, at, at)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	lost, used, fresh, removed := script(30*day), script(30*day), script(0), script(20*day)
	endedSession(t, d, "kept", day, "sh", used)
	endedSession(t, d, "removed", 20*day, "sh", removed)
	put := func(name string, age time.Duration) string {
		path, at := d.file(name), time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(path, []byte("x"), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	stamp := func(age time.Duration) string { return time.Now().UTC().Add(-age).Format(asideStamp) }
	aside := put("active-processes.json.corrupt-"+stamp(30*day), 40*day)
	asideRecord := put("sessions/0123456789.json.corrupt-"+stamp(30*day), 40*day)
	asideNow := put("sessions/0123456789.json.corrupt-"+stamp(day), 40*day)
	spare := put("sessions/.0123456789.json.123456", 30*day)
	likeOurs := put("notes.json.corrupt-"+stamp(30*day), 30*day)
	notStamped := put("active-processes.json.corrupt-me", 30*day)
	notes := put("scripts/notes.sh", 30*day)
	abandoned, err := d.NewSession()
	old := time.Now().Add(-30 * day)
	if err == nil {
		err = os.Chtimes(d.SessionFolder(abandoned), old, old)
	}
	orphan, err2 := d.NewSession() // its record is damaged
	if err = errors.Join(err, err2); err == nil {
		err = errors.Join(os.Chtimes(d.SessionFolder(orphan), old, old), d.Update(t.Context(), func(a *Active) error {
			a.Put(Session{ID: orphan, Command: []string{"a"}, Status: StatusOrphaned})
			return nil
		}))
	}
	if err != nil {
		t.Fatal(err)
	}
	done, err := d.Prune(t.Context(), Pruning{Goes: older(10*day, 0), Before: time.Now().Add(-10 * day), Lives: nothingLives})
	if err != nil || !cmp.Equal(names(done.Sessions), []string{"removed"}) || done.Files != 6 {
		t.Errorf("%+v, %v", done, err)
	}
	for _, path := range []string{lost, removed, aside, asideRecord, spare, d.SessionFolder(abandoned)} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s stays", path)
		}
	}
	for _, path := range []string{used, fresh, asideNow, likeOurs, notStamped, notes, d.SessionFolder(orphan)} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	// A shell that lives may still read code that it was given, though no record names it.
	given := script(2 * day)
	shell, err := d.NewSession()
	if err == nil {
		err = errors.Join(os.Mkdir(d.ShellFolder(shell), 0o700), d.Update(t.Context(), func(a *Active) error {
			a.Put(Session{ID: shell, Command: []string{"sh"}, StartedAt: Time{time.Now().Add(-3 * day)}})
			return nil
		}))
	}
	if err != nil {
		t.Fatal(err)
	}
	if done, err := d.Prune(t.Context(), Pruning{Goes: older(10*day, 0), Lives: nothingLives}); err != nil || done.Files != 0 {
		t.Errorf("with a shell: %+v, %v", done, err)
	}
	if _, err := os.Lstat(given); err != nil {
		t.Error(err)
	}
}

// setBack dates the last removal, and the folder, back by ago.
func setBack(t *testing.T, d Dir, ago time.Duration) {
	t.Helper()
	at := time.Now().Add(-ago)
	for _, name := range []string{ignoreFile, pruneFile} {
		if err := os.Chtimes(d.file(name), at, at); err != nil && (name == ignoreFile || !errors.Is(err, os.ErrNotExist)) {
			t.Fatal(err)
		}
	}
}

func TestRetain(t *testing.T) {
	hour := time.Hour
	for name, test := range map[string]struct {
		keep Retention
		want []string
	}{
		"all":                            {Retention{}, []string{"e", "d", "c", "b", "a"}},
		"age":                            {Retention{Age: 25 * hour}, []string{"c", "b", "a"}},
		"number":                         {Retention{Sessions: 2}, []string{"b", "a"}},
		"size":                           {Retention{Bytes: 180000}, []string{"c", "b", "a"}},
		"all three":                      {Retention{Age: 35 * hour, Sessions: 4, Bytes: 1 << 30}, []string{"d", "c", "b", "a"}},
		"nothing, but for the last hour": {Retention{Age: 1, Sessions: 1, Bytes: 1}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDir(t)
			for i, session := range []string{"e", "d", "c", "b", "a"} {
				id := endedSession(t, d, session, time.Duration(4-i)*10*hour)
				if err := os.WriteFile(filepath.Join(d.SessionFolder(id), "output.1"), make([]byte, 20000), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			left := func() (names []string) {
				all, err := d.Sessions()
				if err != nil {
					t.Fatal(err)
				}
				slices.SortFunc(all, func(a, b Session) int { return a.EndedAt.Compare(b.EndedAt.Time) })
				for _, s := range all {
					names = append(names, s.Name)
				}
				return names
			}
			limits := test.keep != Retention{}
			retain := func() bool {
				due, err := d.Retain(t.Context(), test.keep, nothingLives)
				if err != nil {
					t.Fatal(err)
				}
				return due
			}
			if due := retain(); due || len(left()) != 5 {
				t.Errorf("in a new folder: %v, due %v", left(), due)
			}
			setBack(t, d, 2*hour)
			if due := retain(); due != limits || !cmp.Equal(left(), test.want) {
				t.Errorf("left: %v, due %v", left(), due)
			}
			endedSession(t, d, "f", 1000*hour)
			if due := retain(); due || !slices.Contains(left(), "f") {
				t.Error("it is done again at once")
			}
			setBack(t, d, -2*hour) // before a clock was set back
			if due := retain(); due != limits || slices.Contains(left(), "f") == limits {
				t.Errorf("later: %v, due %v", left(), due)
			}
			for _, name := range []string{ignoreFile, pruneFile} { // somebody is deleting the folder
				if err := os.Remove(d.file(name)); err != nil && (name == ignoreFile || limits) {
					t.Fatal(err)
				}
			}
			due := retain()
			if _, err := os.Lstat(d.file(pruneFile)); due || !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a file is made in a folder that is being deleted: %v, due %v", err, due)
			}
		})
	}
}

// Several processes prune at the same time while sessions begin, without harm.
func TestPruneTogether(t *testing.T) {
	d := newDir(t)
	for range 40 {
		endedSession(t, d, "old", 100*time.Hour)
	}
	setBack(t, d, 2*time.Hour)
	var all sync.WaitGroup
	var lock sync.Mutex
	removed := map[string]int{}
	for i := range 8 {
		all.Go(func() {
			if i%2 == 0 {
				if _, err := d.Retain(t.Context(), Retention{Age: 50 * time.Hour}, nothingLives); err != nil {
					t.Error(err)
				}
				return
			}
			done, err := d.Prune(t.Context(), Pruning{Goes: older(50*time.Hour, 0), Before: time.Now(), Lives: nothingLives})
			if err != nil {
				t.Error(err)
			}
			lock.Lock()
			defer lock.Unlock()
			for _, s := range done.Sessions {
				removed[s.ID]++
			}
		})
	}
	var begun []string
	for range 20 {
		begun = append(begun, endedSession(t, d, "new", 0))
	}
	all.Wait()
	for id, n := range removed {
		if n != 1 {
			t.Errorf("%s was removed %d times", id, n)
		}
	}
	left, err := d.sessionIDs()
	slices.Sort(begun)
	if err != nil || !cmp.Equal(left, begun) {
		t.Errorf("left: %s, %v", strings.Join(left, " "), err)
	}
}

func BenchmarkRetainNotDue(b *testing.B) {
	d, err := Create(filepath.Join(b.TempDir(), FolderName))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := d.Retain(b.Context(), DefaultRetention, nothingLives); err != nil {
			b.Fatal(err)
		}
	}
}
