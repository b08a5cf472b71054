package screen

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program is the recorded output of a real program, and the screens that other terminals showed
// for it. testdata/programs has a file for each, as JSON compressed with gzip.
type program struct {
	Cols, Rows int
	Term       string // TERM of the program
	Steps      []programStep
}

// A programStep does the one thing that is set.
type programStep struct {
	Write  []byte // base64
	Resize []int  // columns, rows
	Want   *programScreen
}

// A programScreen is the screen that most of five terminals showed at one moment: xterm 379, tmux
// 3.3a, xterm.js 6.0 with the widths of Unicode 11, libvterm 0.1.4 and alacritty 0.26. It leaves out
// blanks at the end of a row, and blank rows at the end of the screen.
type programScreen struct {
	Rows      []string
	Cursor    [2]int // column, row; in the last column while a wrap is pending
	Alternate bool
	Title     string
	Agree     []string // the terminals that showed it, apart from zero-width joiners and spaces
	Note      string   // why it is right, if most terminals showed something else
}

func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/programs/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json.gz"), func(t *testing.T) {
			var p program
			if err := json.Unmarshal(gunzip(t, file), &p); err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{4096, 7, 1} {
				if err := p.play(n); err != nil {
					t.Fatalf("in pieces of %d: %v", n, err)
				}
			}
		})
	}
}

// play shows p to a terminal in pieces of n bytes. It returns the difference of the first wrong
// screen.
func (p *program) play(n int) error {
	term := New(p.Cols, p.Rows, 1000)
	for i, step := range p.Steps {
		for b := step.Write; len(b) > 0; b = b[min(n, len(b)):] {
			term.Write(b[:min(n, len(b))])
		}
		if step.Resize != nil {
			term.Resize(step.Resize[0], step.Resize[1])
		}
		if step.Want != nil {
			if diff := step.Want.diff(term.Snapshot(Visible())); diff != "" {
				return fmt.Errorf("step %d (as %q) %s\n%s", i, step.Want.Agree, step.Want.Note, diff)
			}
		}
	}
	return nil
}

// diff returns the difference between s and w in a few lines, or "".
func (w *programScreen) diff(s *Snapshot) string {
	var b strings.Builder
	for i := range max(len(w.Rows), len(s.Lines)) {
		var got, want string
		if i < len(s.Lines) {
			got = s.Text(i, false)
		}
		if i < len(w.Rows) {
			want = w.Rows[i]
		}
		if got != want && strings.Count(b.String(), "\n") < 15 {
			fmt.Fprintf(&b, "row %d\n got %q\nwant %q\n", i, got, want)
		}
	}
	if got := [2]int{s.Cursor.Col, s.Cursor.Row}; got != w.Cursor {
		fmt.Fprintf(&b, "cursor at %v, want %v\n", got, w.Cursor)
	}
	if s.Modes.Alternate != w.Alternate {
		fmt.Fprintf(&b, "alternate screen %v, want %v\n", s.Modes.Alternate, w.Alternate)
	}
	if s.Title != w.Title {
		fmt.Fprintf(&b, "title %q, want %q\n", s.Title, w.Title)
	}
	return b.String()
}

// gunzip returns the content of a compressed file.
func gunzip(t testing.TB, file string) []byte {
	compressed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
