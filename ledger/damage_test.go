package ledger

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gofrs/flock"
)

func TestTornAndDamagedLines(t *testing.T) {
	d := newDir(t)
	log := func(pid int) {
		t.Helper()
		if err := d.Update(t.Context(), func(a *Active) error { a.Log(Event{Event: EventStarted, PID: pid}); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	pids := func() (list []int) {
		t.Helper()
		for e, err := range d.Events() {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, e.PID)
		}
		return list
	}
	log(1)
	damage := func(text string) {
		t.Helper()
		f, err := os.OpenFile(d.file(eventFile), os.O_WRONLY|os.O_APPEND, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	damage("\x00\x00garbage\n[]\n{}\n" + `{"event":"started","pid":2,"newer":{"field":1}}` + "\n" + `{"event":"started","pid":9`)
	if got := pids(); !cmp.Equal(got, []int{1, 2}) {
		t.Errorf("with a torn line: %v", got)
	}
	log(3)
	if got := pids(); !cmp.Equal(got, []int{1, 2, 3}) {
		t.Errorf("after the next append: %v", got)
	}
}

func TestDamagedActiveSet(t *testing.T) {
	d := newDir(t)
	var notices []string
	d = d.Notify(func(notice string) { notices = append(notices, notice) })
	id, err := d.NewSession()
	if err == nil {
		err = errors.Join(d.SaveSession(Session{ID: id, Command: []string{"a"}, Name: "web", Status: StatusRunning}), os.WriteFile(d.file(activeFile), []byte(`{"sess`), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	if a, err := d.Active(); err != nil || !a.Has("web") {
		t.Errorf("read: %v, %v", a, err)
	}
	if err := d.Update(t.Context(), func(a *Active) error {
		if !a.Has("web") {
			return errors.New("the session is lost")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if aside, err := filepath.Glob(d.file(activeFile + ".corrupt-*")); err != nil || len(aside) != 1 || len(notices) != 1 {
		t.Errorf("set aside %v, notices %v", aside, notices)
	}
}

// Entries of the active set that devtools cannot have written are skipped.
func TestImplausibleEntries(t *testing.T) {
	d := newDir(t)
	data := `{"sessions":[{"sessionId":"../../x","command":["a"]},{"sessionId":"z1","name":"a"},{"sessionId":"z2","command":["b"]}]}`
	if err := os.WriteFile(d.file(activeFile), []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := d.Active(); err != nil || len(a.Sessions) != 1 || a.Sessions[0].ID != "z2" {
		t.Errorf("%+v, %v", a, err)
	}
}

// A link in the place of one of our files changes nothing elsewhere.
func TestLinksAreRefused(t *testing.T) {
	for _, name := range []string{activeFile + ".spare", eventFile, lockFile} {
		d := newDir(t)
		victim := filepath.Join(t.TempDir(), "victim")
		if err := errors.Join(os.WriteFile(victim, []byte("precious"), 0o600), os.Symlink(victim, d.file(name))); err != nil {
			t.Fatal(err)
		}
		err := d.Update(t.Context(), func(a *Active) error {
			a.Log(Event{Event: EventStarted})
			return nil
		})
		if data, readErr := os.ReadFile(victim); err == nil || readErr != nil || string(data) != "precious" {
			t.Errorf("%s: %v, the other file has %q, %v", name, err, data, readErr)
		}
	}
	d := newDir(t)
	if err := os.Symlink(t.TempDir(), d.file(sessionsDir)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(d.Path()); !errors.Is(err, ErrUnsafe) {
		t.Errorf("a link for the sessions: %v", err)
	}
}

func TestCreateMendsIgnore(t *testing.T) {
	d := newDir(t)
	for _, spoil := range []func(string) error{os.Remove, func(path string) error { return os.Truncate(path, 0) }} {
		if err := spoil(d.file(ignoreFile)); err != nil {
			t.Fatal(err)
		}
		if _, err := Create(d.Path()); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(d.file(ignoreFile)); err != nil || string(data) != "*\n!prompts.toml\n!stacks.toml\n!sessions.toml\n!policies.toml\n" {
			t.Errorf("%q, %v", data, err)
		}
	}
}

func TestDamagedRecord(t *testing.T) {
	d := newDir(t)
	id, err := d.NewSession()
	if err == nil {
		err = os.WriteFile(d.record(id), []byte(`{"sessionId":"other"}`), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.LoadSession(id); !errors.Is(err, ErrNoSession) {
		t.Error(err)
	}
	if aside, err := filepath.Glob(d.record(id) + ".corrupt-*"); err != nil || len(aside) != 1 {
		t.Errorf("set aside %v, %v", aside, err)
	}
}

// A session whose holder has not written its record yet has one.
func TestRecordNotWrittenYet(t *testing.T) {
	d := newDir(t)
	id, err := d.NewSession()
	if err == nil {
		err = d.Claim(id)
	}
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() {
		<-time.After(20 * time.Millisecond)
		written <- d.SaveSession(Session{ID: id, Name: "web", Command: []string{"true"}, Status: StatusStarting, StartedAt: Time{Time: time.Now()}})
	}()
	if s, err := d.LoadSession(id); err != nil || s.Name != "web" {
		t.Errorf("%q, %v", s.Name, err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	if _, err := d.LoadSession("web"); !errors.Is(err, ErrNoSession) {
		t.Error(err)
	}
}

// A reader that meets a new record before its first write, and looks for the holder after its last one, takes it as it is.
func TestRecordOfAShortSession(t *testing.T) {
	d := newDir(t)
	for i := range 300 {
		id, err := d.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		claim := flock.New(d.claim(id))
		if locked, err := claim.TryLock(); err != nil || !locked {
			t.Fatal(locked, err)
		}
		if err := os.WriteFile(d.record(id), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			err := d.SaveSession(Session{ID: id, Name: "a", Status: StatusStarting, Command: []string{"true"}, StartedAt: Time{Time: time.Now()}})
			if err == nil {
				err = claim.Unlock()
			}
			ended <- err
		}()
		_, err = d.LoadSession(id)
		if failed := <-ended; err != nil || failed != nil {
			t.Fatalf("round %d: %v, %v", i, err, failed)
		}
	}
}

// Files of a newer version are read although they have unknown fields. Lines of the log keep these fields.
func TestNewerVersions(t *testing.T) {
	d := newDir(t)
	id, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	record := `{"version":9,"name":"web","sessionId":"` + id + `","command":["a"],"status":"hibernating","mood":{"good":true}}`
	for path, text := range map[string]string{
		d.file(activeFile): `{"version":9,"sessions":[` + record + `],"extra":[1]}`,
		d.record(id):       record,
		d.file(eventFile):  `{"v":9,"event":"hibernated","pid":4,"mood":{"good":true}}` + "\n",
		filepath.Join(d.SessionFolder(id), capturesFile): `{"version":9,"captures":[{"id":"1","captureFile":"/x","mood":1}],"extra":1}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := d.LoadSession(id); err != nil || s.Name != "web" || s.Status != "hibernating" {
		t.Errorf("record: %+v, %v", s, err)
	}
	if s, ok := d.Living("web"); !ok || s.ID != id {
		t.Errorf("living: %+v", s)
	}
	if a, err := d.Active(); err != nil || !a.Has("web") {
		t.Errorf("active set: %+v, %v", a, err)
	}
	if list, err := d.Captures(id); err != nil || len(list) != 1 || list[0].File != "/x" {
		t.Errorf("captures: %+v, %v", list, err)
	}
	if got := loggedPIDs(t, d); !cmp.Equal(got, []int{4}) {
		t.Errorf("events: %v", got)
	}
}

// Each file says its version.
func TestFilesHaveVersions(t *testing.T) {
	d := newDir(t)
	id, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	s := Session{ID: id, Command: []string{"a"}}
	if err := errors.Join(
		d.SaveSession(s), d.SaveCaptures(id, []Capture{{ID: "1"}}), d.NotePrompt(PromptNote{}),
		d.Update(t.Context(), func(a *Active) error { a.Put(s); a.Log(Event{Event: EventStarted}); return nil })); err != nil {
		t.Fatal(err)
	}
	for path, member := range map[string]string{
		d.record(id): "version", d.file(activeFile): "version", filepath.Join(d.SessionFolder(id), capturesFile): "version",
		d.file(promptsLog): "v", d.file(eventFile): "v",
	} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]any
		if err := json.Unmarshal(data, &members); err != nil || members[member] != float64(version) {
			t.Errorf("%s: %s, %v", path, data, err)
		}
	}
}

// A list of captures with numbers that no holder writes is refused.
func TestCapturesPlanted(t *testing.T) {
	d := newDir(t)
	const id = "0123456789"
	if err := os.MkdirAll(d.SessionFolder(id), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, planted := range []string{`"offset":-1`, `"bytesCaptured":-9223372036854775808`, `"gapBytes":-1`} {
		content := `{"version":1,"captures":[{"id":"1","captureFile":"/x","format":"raw","startedAt":"2026-01-01T00:00:00Z",` + planted + `}]}`
		if err := os.WriteFile(filepath.Join(d.SessionFolder(id), capturesFile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := d.Captures(id); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %+v, %v", planted, list, err)
		}
	}
}
