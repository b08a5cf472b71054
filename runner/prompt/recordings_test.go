package prompt

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"devtools/screen"
)

// A recording is what a program printed until it waited for input, and how it had set the terminal.
type recording struct {
	Name      string
	Command   string
	Canonical bool
	Echo      bool
	Cols      int
	Rows      int
	Mark      int // how many bytes it had printed when it got its last input, -1 where it got none
	Data      string
}

// scene is what the terminal showed in the end.
func (r recording) scene() Scene {
	t := screen.New(r.Cols, r.Rows, 100)
	since := 0
	if r.Mark >= 0 {
		t.Write([]byte(r.Data[:r.Mark]))
		row, scrolled := t.Snapshot(screen.Visible()).Cursor.Row, t.Scrolled()
		t.Write([]byte(r.Data[r.Mark:]))
		since = max(row+1-(t.Scrolled()-scrolled), 0)
	} else {
		t.Write([]byte(r.Data))
	}
	return Scene{
		Picture: t.Snapshot(screen.Visible()), Since: since, Hidden: t.HiddenRow() - t.Scrolled(), Command: r.Command, Canonical: r.Canonical, Echo: r.Echo,
	}
}

// recordings returns the recordings of real programs, by name.
func recordings(t testing.TB) map[string]recording {
	t.Helper()
	file, err := os.Open("testdata/screens.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all := map[string]recording{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r recording
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if _, twice := all[r.Name]; twice {
			t.Errorf("there are two recordings called %s", r.Name)
		}
		all[r.Name] = r
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
