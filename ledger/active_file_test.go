package ledger

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// sampleSessions returns sessions that together use every member.
func sampleSessions() []Session {
	at := Time{time.Date(2026, 1, 15, 10, 30, 0, 123e6, time.UTC)}
	code, rows := 137, 200
	process := Process{PID: 12, Start: 345, Boot: "b-1", Inode: 9, ParentPID: 1, Name: "sh", CommandLine: "sh -c 'a \"b\" <c>'", Marked: true}
	whole := Session{
		Version: 1, Name: "wéb", ID: "6an1wwf0d8", Status: StatusRunning, Command: []string{"sh", "-c", "echo \"$ \"; \t\n\\ \u2028"}, Cwd: "/tmp/x y",
		Size: Size{80, 24}, StartSize: Size{100, 30}, Scrollback: &rows, Main: process, Holder: process, Socket: "/tmp/d/s",
		Asks: []Ask{{"press <a>", at}, {"", at}}, StartedAt: at, Folder: "/tmp/x/.devtools", FolderDevice: 65024, FolderInode: 1 << 40,
		Namespace: 4026531836, EndsWith: "bwrap (pid 1 here)", Cgroup: "/sys/fs/cgroup/x", ReportedBytes: 7, Title: "a <title>", Labels: map[string]string{"a": "b", "c": ""}, Tether: process,
		Isolation: "high", TempFolder: "/tmp/x", NoRecord: true, Share: true, Secrets: []string{"API_KEY", "x"}, Awaited: true, LeftAt: at, Caller: Caller{PID: 7, Session: 8}, LostAt: at, EndedAt: at, ExitCode: &code, Pipeline: []int{1, 137}, Signal: "SIGKILL", ExitedAfterMs: 1, DrainedAfterMs: 2, OutputBytes: 3, LostBytes: 4,
		TimedOut: true, EndReason: EndTether, ToldToEnd: true, Leftovers: []Process{process, {PID: 3}}, EndedLeftovers: []Process{process}, RestartAt: at, OnExitOf: "6an1wwf0d7", RestartOf: "6an1wwf0d6", Closed: true,
	}
	return []Session{whole, {Version: 1, ID: "6an1wwfttz", Command: []string{}}, {ID: "6an1wwgkaa", Command: []string{"a"}}}
}

// The active set means the same to encoding/json, and the text of what was not replaced stays.
func TestActiveFile(t *testing.T) {
	if want := fmt.Sprintf(`{"version":%d,"sessions":[`, version); activeHead != want {
		t.Errorf("the file begins with %s, not %s", activeHead, want)
	}
	for i := range reflect.TypeFor[Session]().NumField() {
		if reflect.ValueOf(sampleSessions()[0]).Field(i).IsZero() {
			t.Errorf("the sample lacks %s", reflect.TypeFor[Session]().Field(i).Name)
		}
	}
	for _, sessions := range [][]Session{{}, sampleSessions()} {
		data, err := (&Active{Sessions: sessions}).encode()
		if err != nil {
			t.Fatal(err)
		}
		var want Active
		read, err := decodeActive(data)
		if err != nil || !sealed(data) || json.Unmarshal(data, &want) != nil {
			t.Fatalf("%s: %v", data, err)
		}
		want.Sessions = slices.DeleteFunc(want.Sessions, func(s Session) bool { return !s.plausible() })
		if !reflect.DeepEqual(read.Sessions, want.Sessions) {
			t.Errorf("%s\nis  %+v\nnot %+v", data, read.Sessions, want.Sessions)
		}
		again, err := read.encode()
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := decodeActive(again); err != nil || !reflect.DeepEqual(twice.Sessions, read.Sessions) {
			t.Errorf("written again: %s, %v", again, err)
		}
	}
}

// A change of one session leaves the others where and as they are, also in a file of an older devtools.
func TestUpdateOne(t *testing.T) {
	ids := func(a *Active) (list []string) {
		for _, s := range a.Sessions {
			list = append(list, s.ID+":"+s.Status)
		}
		return list
	}
	old := `{"version":1,"sessions":[{"version":1,"sessionId":"z1","command":["a"]},{"version":1,"sessionId":"z2","command":["a"]},{"version":1,"sessionId":"z3","command":["a"]}]}` + "\n"
	for _, first := range []string{"one line", "lines"} {
		d := newDir(t)
		if err := os.WriteFile(d.file(activeFile), []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		if first == "lines" {
			if err := d.Update(t.Context(), func(*Active) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		for id, change := range map[string]func(*Active){
			"z2": func(a *Active) { a.Put(Session{ID: "z2", Status: "x", Command: []string{"b"}}) },
			"z1": func(a *Active) { a.Remove("z1") },
			"z4": func(a *Active) { a.Put(Session{ID: "z4", Status: "new", Command: []string{"c"}}) },
			"z9": func(a *Active) { a.Remove("z9") },
		} {
			if err := d.UpdateOne(t.Context(), id, func(a *Active) error { change(a); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		a, err := d.Active()
		if want := []string{"z2:x", "z3:", "z4:new"}; err != nil || !slices.Equal(ids(a), want) {
			t.Errorf("from %s: %v, want %v, %v", first, ids(a), want, err)
		}
	}
}

// Whether a name is taken, and how many sessions have not ended, is seen without parsing the others, whatever their labels
// say and in whatever order their members are.
func TestUpdateOneSeesTheOthers(t *testing.T) {
	d := newDir(t)
	ended := Session{ID: "z2", Name: "done", Command: []string{"a"}, EndedAt: Time{time.Now()}}
	labelled := Session{ID: "z3", Name: "api", Command: []string{"a"}, Holder: Process{PID: 7}, Labels: map[string]string{"endedAt": "x", "sessionId": "z9", "name": "free"}}
	hook := Session{ID: "z4", Name: "api-on-exit", Command: []string{"a"}, OnExitOf: "z3"} // it counts for no limit
	if err := d.Update(t.Context(), func(a *Active) error { a.Put(ended); a.Put(labelled); a.Put(hook); return nil }); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(d.file(activeFile))
	if err != nil {
		t.Fatal(err)
	}
	newer := `{"version":1,"sessionId":"z1","name":"web","command":["a"]},` + "\n"
	data = slices.Insert(data[:len(data)-sumLength], len(activeHead)+1, []byte(newer)...)
	if err := os.WriteFile(d.file(activeFile), seal(append(data, '}')), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.UpdateOne(t.Context(), "z9", func(a *Active) error {
		for name, want := range map[string]bool{"web": true, "done": true, "api": true, "free": false, "z1": false} {
			if a.Has(name) != want {
				t.Errorf("has %s: %v, want %v", name, !want, want)
			}
		}
		if a.HasBeside("api", "z3") || !a.HasBeside("api", "z1") {
			t.Error("it is not seen which session has the name")
		}
		if n, pids := a.Counted(), a.HolderPIDs(); len(a.Sessions) != 0 || n != 2 || !slices.Equal(pids, []int{0, 0, 7, 0}) {
			t.Errorf("%d sessions are parsed, %d count for the limit, the holders are %v", len(a.Sessions), n, pids)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// Damage is damage: of files with wrong ends, commas or lines nothing is believed.
func TestDamagedActiveFile(t *testing.T) {
	const entry = `{"version":1,"sessionId":"z1","name":"web","command":["a"]}`
	for text, ok := range map[string]bool{
		activeHead + "\n]}\n": true, activeHead + "\n" + entry + "\n]}\n": true, activeHead + "\n" + entry + ",\n]}\n": false,
		activeHead + "\n" + entry + "\n" + entry + "\n]}\n": false, activeHead + "\n\n]}\n": false, activeHead + "\n" + entry + "\n": false,
		activeHead + "\n" + entry + "\n]}\nmore": false, activeHead: false, strings.Repeat("\n", 1000): false,
	} {
		if _, got := entriesOf([]byte(text)); got != ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A living session is found by its name or id, and by nothing else in its entry.
func TestLiving(t *testing.T) {
	d := newDir(t)
	if err := d.Update(t.Context(), func(a *Active) error {
		a.Put(Session{ID: "z1", Name: "web", Command: []string{"a"}, Main: Process{PID: 1, Name: "node"}})
		a.Put(Session{ID: "z2", Name: "api", Command: []string{`","name":"db"`}})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"web": "z1", "z1": "z1", "api": "z2", "node": "", "db": "", `web","x":"`: "", "": ""} {
		if s, ok := d.Living(name); s.ID != want || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", name, s.ID, ok, want)
		}
	}
}

// A reader waits for no writer: a process that stopped with the lock does not hold up the others.
func TestReadsWhileLocked(t *testing.T) {
	d := newDir(t)
	put := func() error {
		return d.Update(t.Context(), func(a *Active) error { a.Put(Session{ID: "z1", Name: "web", Command: []string{"a"}}); return nil })
	}
	if err := put(); err != nil {
		t.Fatal(err)
	}
	unlock, err := d.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	begin := time.Now()
	if a, err := d.Active(); err != nil || !a.Has("web") || time.Since(begin) >= patience {
		t.Errorf("%+v, %v, after %v", a, err, time.Since(begin))
	}
}

// What an update does not touch stays as it is, also members that this version does not know.
func TestUpdateKeepsUnknownMembers(t *testing.T) {
	d := newDir(t)
	const mood = `"mood":{"good":true}`
	if err := os.WriteFile(d.file(activeFile), []byte(activeHead+"\n"+`{"version":1,"sessionId":"z1","name":"web","command":["a"],`+mood+"}\n]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Update(t.Context(), func(a *Active) error { a.Put(Session{ID: "z2", Command: []string{"b"}}); return nil }); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(d.file(activeFile)); err != nil || !strings.Contains(string(data), mood) || !sealed(data) {
		t.Errorf("%s, %v", data, err)
	}
}

// A set that an older devtools has written is read. One whose checksum is wrong is damaged.
func TestChecksum(t *testing.T) {
	d := newDir(t)
	old := `{"version":1,"sessions":[{"version":1,"sessionId":"z1","name":"web","command":["a"],"mood":{"good":true}}]}` + "\n"
	for text, named := range map[string]bool{old: true, strings.TrimSuffix(old, "}\n") + `,"sum":"00000000"}` + "\n": false} {
		if err := os.WriteFile(d.file(activeFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if a, err := d.Active(); err != nil || a.Has("web") != named {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
}
