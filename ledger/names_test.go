package ledger

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// leaves makes a session with this name that has left the active set.
func leaves(t *testing.T, d Dir, name string) (id string) {
	t.Helper()
	if err := d.Update(t.Context(), func(*Active) error { return nil }); err != nil { // the set is older than the record
		t.Fatal(err)
	}
	id = endedSession(t, d, name, 2*time.Hour)
	s := Session{ID: id, Name: name, Command: []string{"a"}}
	err := d.Update(t.Context(), func(a *Active) error { a.Put(s); return nil })
	if err == nil {
		err = d.UpdateOne(t.Context(), id, func(a *Active) error { a.Remove(id); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	for id[:8] == newID(time.Now())[:8] { // two sessions of one millisecond have no order
	}
	return id
}

// finds checks which session is found.
func finds(t *testing.T, d Dir, name, want string) {
	t.Helper()
	if s, err := d.Session(name); s.ID != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, ErrNoSession) {
		t.Errorf("%s is %q, %v, not %q", name, s.ID, err, want)
	}
}

// indexed reports whether the active set has an index of names that can be believed.
func indexed(t *testing.T, d Dir) bool {
	t.Helper()
	a, err := d.Active()
	if err != nil {
		t.Fatal(err)
	}
	return d.readIndex(a) != nil
}

// A session that left the active set is found without reading the records of others: damaged ones would be set aside.
func TestNames(t *testing.T) {
	d := newDir(t)
	want := map[string]string{}
	for i := range 3*lastLines + 2 {
		name := fmt.Sprintf("s%d", i%40)
		want[name] = leaves(t, d, name)
	}
	known, unknown := d.record(leaves(t, d, "trap")), d.record("zzzzzzzzzz")
	finds(t, d, "s0", want["s0"])
	for _, trap := range []string{known, unknown} {
		if err := os.WriteFile(trap, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, id := range want {
		finds(t, d, name, id)
		finds(t, d, id, id)
	}
	for _, trap := range []string{known, unknown} {
		if _, err := os.Stat(trap); err != nil {
			t.Error("records of others were read:", err)
		}
	}
	if all, err := d.SessionsOf("s0"); err != nil || len(all) != 3 || all[0].ID != want["s0"] {
		t.Errorf("s0 was the name of %d sessions, %v", len(all), err)
	}
	for _, name := range []string{"s", "0", "", "s1 ", "../" + want["s1"], want["s1"] + " s1", want["s1"][:9]} {
		finds(t, d, name, "")
	}
	if _, err := os.Stat(unknown); err == nil {
		t.Error("nobody looked at what the index does not know before there was no such session")
	}
}

// A running session comes before ended ones of its name, and a newer one before an older one that ended later.
func TestNamesOrder(t *testing.T) {
	d := newDir(t)
	first, second := leaves(t, d, "web"), leaves(t, d, "web")
	for _, id := range []string{second, first} {
		if err := d.Update(t.Context(), func(a *Active) error {
			a.Put(Session{ID: id, Name: "web", Command: []string{"a"}})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		finds(t, d, "web", id)
		if err := d.Update(t.Context(), func(a *Active) error { a.Remove(id); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	finds(t, d, "web", second)
}

// When the newest session of a name is removed, the name means the one before it. The index forgets what was removed.
func TestNamesAfterPrune(t *testing.T) {
	d := newDir(t)
	var ids []string
	for i := range 2 * lastLines {
		ids = append(ids, leaves(t, d, fmt.Sprintf("s%d", i)))
	}
	older, newer := leaves(t, d, "web"), leaves(t, d, "web")
	if err := d.removeEnded(newer, false); err != nil { // a Prune that was killed here
		t.Fatal(err)
	}
	finds(t, d, "web", older)
	done, err := d.Prune(t.Context(), Pruning{Goes: func(rank int, _ time.Duration, _ int64) bool { return rank > 1 }, Lives: nothingLives})
	if err != nil || len(done.Sessions) != 2*lastLines-1 {
		t.Fatalf("%d removed, %v", len(done.Sessions), err)
	}
	finds(t, d, "web", older)
	finds(t, d, "s0", "")
	a, err := d.Active()
	if err != nil {
		t.Fatal(err)
	}
	if known := d.readIndex(a).known(); known[ids[0]] || known[newer] || !known[older] || len(known) != 2 {
		t.Errorf("the index knows %v", known)
	}
}

// What is wrong in the index is not believed, and the next search makes the index anew.
func TestWrongNames(t *testing.T) {
	d := newDir(t)
	other := leaves(t, d, "other")
	var web string
	for range lastLines {
		web = leaves(t, d, "web")
	}
	good, err := os.ReadFile(d.file(indexFile))
	if err != nil {
		t.Fatal(err)
	}
	swapped := strings.Replace(string(good), " other\n", " fake1\n", 1)
	set := func(index string) error { // as a devtools with a fault might write it
		return d.Update(t.Context(), func(a *Active) error { a.index = []byte(index); return nil })
	}
	sum := func(text string) string {
		return fmt.Sprintf(`{"bytes":%d,"sum":%d,"last":[]}`, len(text), extend(1, text))
	}
	for what, spoil := range map[string]func() error{
		"cut short":     func() error { return os.Truncate(d.file(indexFile), 5) },
		"gone":          func() error { return os.Remove(d.file(indexFile)) },
		"other content": func() error { return os.WriteFile(d.file(indexFile), []byte(swapped), 0o600) },
		"a link": func() error {
			return errors.Join(os.Remove(d.file(indexFile)), os.Symlink(d.record(web), d.file(indexFile)))
		},
		"a negative length": func() error { return set(`{"bytes":-5,"sum":1,"last":[]}`) },
		"an absurd length":  func() error { return set(`{"bytes":9000000000000000000,"sum":1,"last":[]}`) },
		"no index":          func() error { return set(`[]`) },
		"ids of other names": func() error {
			return errors.Join(set(sum(other+" web\n")), os.WriteFile(d.file(indexFile), []byte(other+" web\n"), 0o600))
		},
		"paths": func() error {
			text := "../sessions/" + other + " web\n"
			return errors.Join(set(sum(text)), os.WriteFile(d.file(indexFile), []byte(text), 0o600))
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		finds(t, d, "web", web)
		finds(t, d, "other", other)
		finds(t, d, "fake1", "")
		if err := os.Remove(d.file(indexFile)); what == "a link" && err != nil {
			t.Fatal(err)
		}
		finds(t, d, "web", web)
		if !indexed(t, d) {
			t.Errorf("%s: there is no index again", what)
		}
		last := leaves(t, d, "last")
		finds(t, d, "last", last)
		if err := errors.Join(d.RemoveSession(last), os.Remove(d.file(indexFile)), d.Update(t.Context(), func(a *Active) error { a.index = nil; return nil })); err != nil {
			t.Fatal(err)
		}
		finds(t, d, "web", web)
	}
}

// An index that cannot be written, as on a full disk, is dropped. The search then reads all records.
func TestNamesNotWritten(t *testing.T) {
	d := newDir(t)
	if err := os.Mkdir(d.file(indexFile), 0o700); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range lastLines + 5 {
		ids = append(ids, leaves(t, d, fmt.Sprintf("s%d", i)))
	}
	for i, id := range ids {
		finds(t, d, fmt.Sprintf("s%d", i), id)
	}
	if indexed(t, d) {
		t.Error("there is an index all the same")
	}
	if err := os.Remove(d.file(indexFile)); err != nil {
		t.Fatal(err)
	}
	finds(t, d, "s1", ids[1])
	if !indexed(t, d) {
		t.Error("there is no index again")
	}
}

// What older versions of devtools and restored backups have left without the index is found.
func TestNamesOfOthers(t *testing.T) {
	d := newDir(t)
	known := leaves(t, d, "web")
	restored := endedSession(t, d, "restored", time.Hour)
	finds(t, d, "restored", restored)
	if a, err := d.Active(); err != nil || len(d.readIndex(a).ids("restored")) != 1 {
		t.Errorf("the index has not learnt it: %v", err)
	}
	newer := endedSession(t, d, "web", time.Hour) // of an older devtools, which drops the index
	if err := os.WriteFile(d.file(activeFile), []byte(activeHead+"\n]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	inspected, err := Inspect(d.path)
	if err != nil {
		t.Fatal(err)
	}
	finds(t, inspected, "web", newer)
	if indexed(t, d) {
		t.Error("a reader that changes nothing has made an index")
	}
	finds(t, d, "web", newer)
	if all, err := d.SessionsOf("web"); err != nil || len(all) != 2 || all[1].ID != known || !indexed(t, d) {
		t.Errorf("%+v, %v", all, err)
	}
}

// A record that was away while the index forgot it is found when it comes back, though the index knows an older session of its
// name.
func TestNamesOfRestored(t *testing.T) {
	d := newDir(t)
	older, newer := leaves(t, d, "web"), leaves(t, d, "web")
	away := d.file("away.json")
	if err := os.Rename(d.record(newer), away); err != nil {
		t.Fatal(err)
	}
	x := leaves(t, d, "x")
	if err := d.forgetNames(t.Context(), []string{x}); err != nil {
		t.Fatal(err)
	}
	finds(t, d, "web", older)
	leaves(t, d, "y")
	if err := os.Rename(away, d.record(newer)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		finds(t, d, "web", newer)
	}
	if all, err := d.SessionsOf("web"); err != nil || len(all) != 2 || all[1].ID != older {
		t.Errorf("%+v, %v", all, err)
	}
}

// While a record cannot be read, the index is not believed to be complete, and an older session is not taken for the newest.
func TestNamesUnreadable(t *testing.T) {
	d := newDir(t)
	older, newer := leaves(t, d, "web"), leaves(t, d, "web")
	away := d.file("away.json")
	if err := errors.Join(os.Rename(d.record(newer), away), os.Mkdir(d.record(newer), 0o700)); err != nil { // reading it fails, even for root
		t.Fatal(err)
	}
	if s, err := d.Session("web"); err == nil || errors.Is(err, ErrNoSession) {
		t.Errorf("web is %q, %v: nothing says that its record cannot be read", s.ID, err)
	}
	finds(t, d, older, older)
	if err := d.Update(t.Context(), func(a *Active) error { a.index = nil; return nil }); err != nil {
		t.Fatal(err)
	}
	finds(t, d, "web", older) // no index says whose record that is
	if indexed(t, d) {
		t.Error("an index was made without a record")
	}
	if err := os.Remove(d.file(activeFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Session("none"); err == nil || errors.Is(err, ErrNoSession) {
		t.Errorf("there is no session, without a word of the record: %v", err)
	}
	if indexed(t, d) {
		t.Error("an index was made without a record")
	}
	if err := errors.Join(os.Remove(d.record(newer)), os.Rename(away, d.record(newer))); err != nil {
		t.Fatal(err)
	}
	finds(t, d, "web", newer)
	if !indexed(t, d) {
		t.Error("there is no index again")
	}
}

// A set that is made anew has no index while there is a record, even if that cannot be read.
func TestNamesOfRebuilt(t *testing.T) {
	d := newDir(t)
	id := endedSession(t, d, "web", time.Hour)
	away := d.file("away.json")
	if err := errors.Join(os.Rename(d.record(id), away), os.Mkdir(d.record(id), 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(d.file(activeFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := d.Update(t.Context(), func(*Active) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if indexed(t, d) {
		t.Error("the index does not know the record")
	}
}

// A session that gets another name in the set leaves no line with its old one.
func TestNamesOfDropped(t *testing.T) {
	d := newDir(t)
	id := leaves(t, d, "other")
	if err := d.Update(t.Context(), func(a *Active) error {
		a.Put(Session{ID: id, Name: "web", Command: []string{"a"}})
		a.Drop(id)
		a.Put(Session{ID: id, Name: "web-2", Command: []string{"a"}})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	a, err := d.Active()
	if err != nil || len(d.readIndex(a).ids("web")) != 0 || !a.Has("web-2") || a.Has("web") {
		t.Errorf("%+v, %v", a.Sessions, err)
	}
}

// Of the sessions that have ended, the newest one of each name is listed, newest first, with an index of names and without one.
// A record that cannot be read is left out, and stays as it is for a reader.
func TestEnded(t *testing.T) {
	d := newDir(t)
	var newest []string
	for i := range lastLines + 8 {
		id := leaves(t, d, fmt.Sprintf("s%d", i%20))
		newest = append(newest, id)
	}
	check := func(most int, without string) {
		t.Helper()
		reader, err := Inspect(d.path)
		if err != nil {
			t.Fatal(err)
		}
		got := reader.Ended(most)
		want := slices.DeleteFunc(slices.Clone(newest[max(20, len(newest)-most):]), func(id string) bool { return id == without })
		slices.Reverse(want)
		ids := []string{}
		for _, s := range got {
			ids = append(ids, s.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("at most %d: %v, want %v", most, ids, want)
		}
	}
	if !indexed(t, d) {
		t.Fatal("there is no index")
	}
	check(100, "")
	check(3, "")
	damaged := newest[len(newest)-2]
	if err := os.WriteFile(d.record(damaged), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(3, damaged)
	if _, err := os.Stat(d.record(damaged)); err != nil {
		t.Error("a reader has set the damaged record aside")
	}
	if err := os.Remove(d.file(indexFile)); err != nil {
		t.Fatal(err)
	}
	check(3, damaged)
}
