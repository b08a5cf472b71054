package ledger

import (
	"encoding/json"
	"os"
	"reflect"
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
		Namespace: 4026531836, Cgroup: "/sys/fs/cgroup/x", ReportedBytes: 7, Labels: map[string]string{"a": "b", "c": ""}, Tether: process,
		Awaited: true, EndedAt: at, ExitCode: &code, Signal: "SIGKILL", ExitedAfterMs: 1, DrainedAfterMs: 2, OutputBytes: 3, LostBytes: 4,
		TimedOut: true, ToldToEnd: true, Leftovers: []Process{process, {PID: 3}}, Closed: true,
	}
	return []Session{whole, {Version: 1, ID: "6an1wwfttz", Command: []string{}}, {ID: "6an1wwgkaa", Command: []string{"a"}}}
}

// Every member of a session is parsed without encoding/json.
func TestQuickActive(t *testing.T) {
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
		var quick, slow Active
		if !sealed(data) || !quick.quick(string(data)) || json.Unmarshal(data, &slow) != nil || !reflect.DeepEqual(quick.Sessions, slow.Sessions) {
			t.Errorf("%s\nis  %+v\nnot %+v", data, quick.Sessions, slow.Sessions)
		}
		if again, err := quick.encode(); err != nil || string(again) != string(data) {
			t.Errorf("written again: %s, %v", again, err)
		}
	}
}

func FuzzActive(f *testing.F) {
	data, err := (&Active{Sessions: sampleSessions()}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Add(`{"version":1,"sessions":[{"version":1,"sessionId":"a","command":["b"],"labels":{"a":"b","a":"c"},"asks":[],"closed":true}]}`)
	f.Add(`{"version":1,"sessions":[{"version":1,"sessionId":"a"},{"version":1,"sessionId":"a"}]}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		var quick, slow Active
		if !quick.quick(text) {
			return
		}
		if err := json.Unmarshal([]byte(text), &slow); err != nil || slow.Version != quick.Version || !reflect.DeepEqual(quick.Sessions, slow.Sessions) {
			t.Errorf("%q is %+v, by encoding/json %+v, %v", text, quick.Sessions, slow.Sessions, err)
		}
	})
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
	if a, err := d.Active(); err != nil || a.Named("web") == nil || time.Since(begin) >= patience {
		t.Errorf("%+v, %v, after %v", a, err, time.Since(begin))
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
		if a, err := d.Active(); err != nil || (a.Named("web") != nil) != named {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
}
