package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tree returns the names and contents of the files in a folder. It shows whether something has changed.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			found[path] = "folder"
			return err
		}
		data, err := os.ReadFile(path)
		found[path] = info.Mode().String() + " " + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestCheckUp(t *testing.T) {
	d := newDir(t)
	fill := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(d.file(name)), 0o700), os.WriteFile(d.file(name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := d.NewSession()
	if err == nil {
		err = d.SaveSession(Session{ID: whole, Name: "web", Command: []string{"a"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	fill("sessions/"+whole+"/output.0", strings.Repeat("x", 5000))
	fill("sessions/z1.json", `{"sessionId":"z2","command":["a"]}`)
	fill("sessions/z3.json", `{"sess`)
	fill("sessions/z4/output.0", "x")
	fill("sessions/z5/claim", "")
	fill("sessions/z6.json.corrupt-20260101T000000.000", "x")
	fill("sessions/.z7.json.123", "x")
	fill("sessions/.z8.json.456", "x") // somebody may write it at this moment
	if err := os.Chtimes(d.file("sessions/.z7.json.123"), time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	fill(activeFile, `{"sess`)
	fill(eventFile, `{"event":"started","pid":1}`+"\nnonsense\n\n[]\n"+`{"event":"completed","pid":1}`+"\n"+`{"event":"sta`)
	claim, err := Open(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := claim.Claim("z5"); err != nil {
		t.Fatal(err)
	}
	before := tree(t, d.Path())
	still, err := Inspect(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	c, err := still.CheckUp()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := still.Active(); err != nil {
		t.Error(err)
	}
	if _, err := still.Session("z3"); !errors.Is(err, ErrNoSession) {
		t.Error(err)
	}
	if after := tree(t, d.Path()); !cmp.Equal(before, after) {
		t.Errorf("looking has changed something: %s", cmp.Diff(before, after))
	}
	if !cmp.Equal(c.SetAside, []string{"sessions/z6.json.corrupt-20260101T000000.000"}) || !cmp.Equal(c.Litter, []string{"sessions/.z7.json.123"}) {
		t.Errorf("set aside %q, litter %q", c.SetAside, c.Litter)
	}
	if len(c.Damaged) != 3 || !strings.HasPrefix(c.Damaged[0], activeFile+": ") || !strings.HasPrefix(c.Damaged[1], "sessions/z1.json: it is not the record") || !strings.HasPrefix(c.Damaged[2], "sessions/z3.json: ") {
		t.Errorf("damaged %q", c.Damaged)
	}
	if !cmp.Equal(c.Homeless, []string{"z4"}) || !cmp.Equal(c.Unlisted, []string{"z5"}) {
		t.Errorf("homeless %q, unlisted %q", c.Homeless, c.Unlisted)
	}
	if c.EventLines != 2 || c.DamagedEvents != 2 || !c.TornEvent || c.Unlocked {
		t.Errorf("events: %+v", c)
	}
	if c.Sessions != 1 || c.Examined != 1 || c.Finished != 1 || c.FinishedBytes < 5000 || c.Bytes <= c.FinishedBytes {
		t.Errorf("sessions: %+v", c)
	}
}

// Of many sessions only the newest are examined. What has no record is found anywhere.
func TestCheckUpOfMany(t *testing.T) {
	d := newDir(t)
	oldest := endedSession(t, d, "oldest", time.Hour)
	for oldest[:8] == newID(time.Now())[:8] { // two sessions of one millisecond have no order
	}
	for range mostExamined {
		endedSession(t, d, "a", time.Hour)
	}
	homeless := endedSession(t, d, "a", time.Hour)
	err := errors.Join(os.Rename(d.SessionFolder(homeless), d.SessionFolder("0")), os.Remove(d.record(homeless)))
	if err == nil {
		err = os.WriteFile(filepath.Join(d.SessionFolder(oldest), "output.0"), make([]byte, 1<<20), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.CheckUp()
	if err != nil || c.Sessions != mostExamined+1 || c.Examined != mostExamined || c.Finished != mostExamined || !cmp.Equal(c.Homeless, []string{"0"}) {
		t.Errorf("%d, %d, %d, %q, %v", c.Sessions, c.Examined, c.Finished, c.Homeless, err)
	}
	if least := int64(mostExamined * (4096 + 20000)); c.FinishedBytes != least || c.Bytes < least+20000 || c.Bytes > least+1<<20 {
		t.Errorf("%d bytes, %d of the ended sessions, not %d", c.Bytes, c.FinishedBytes, least)
	}
}

func TestTry(t *testing.T) {
	d := newDir(t)
	before := tree(t, d.Path())
	if trial := d.Try(); trial.Write != nil || trial.Lock != nil {
		t.Errorf("%+v", trial)
	}
	if after := tree(t, d.Path()); !cmp.Equal(before, after) {
		t.Errorf("trying has left something: %s", cmp.Diff(before, after))
	}
}
