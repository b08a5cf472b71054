package screen

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A corpusStep does the one thing that is set.
type corpusStep struct {
	Write  []byte // base64
	Resize []int  // columns, rows
	Reset  bool   // RIS
}

// playCorpus returns a terminal after the steps.
func playCorpus(cols, rows, scrollback int, steps []corpusStep) *Terminal {
	term := New(cols, rows, scrollback)
	for _, s := range steps {
		switch {
		case s.Resize != nil:
			term.Resize(s.Resize[0], s.Resize[1])
		case s.Reset:
			term.Write([]byte("\x1bc"))
		}
		term.Write(s.Write)
	}
	return term
}

// corpus reads a corpus of the project. If it is missing, corpus reads the copy in testdata.
func corpus(t *testing.T, name string, value any) {
	b, err := os.ReadFile(filepath.Join("../../shared/corpora/terminal", name))
	if err != nil {
		b = gunzip(t, filepath.Join("testdata", name+".gz"))
	}
	if err := json.Unmarshal(b, value); err != nil {
		t.Fatal(err)
	}
}

// A tally counts the passed checks of each group.
type tally map[string][2]int

func (c tally) add(group string, passed bool) {
	n := c[group]
	n[1]++
	if passed {
		n[0]++
	}
	c[group] = n
}

func (c tally) String() string {
	var b strings.Builder
	all := [2]int{}
	for _, group := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&b, "\n%-28s %3d of %3d", group, c[group][0], c[group][1])
		all[0] += c[group][0]
		all[1] += c[group][1]
	}
	fmt.Fprintf(&b, "\n%-28s %3d of %3d", "all", all[0], all[1])
	return b.String()
}

// judge compares a result with the known misses. A check must pass, unless misses has a reason for
// it.
func judge(t *testing.T, name, problem string, misses map[string]string) {
	switch reason, missed := misses[name]; {
	case problem != "" && !missed:
		t.Errorf("%s: %s", name, problem)
	case problem == "" && missed:
		t.Errorf("%s passes, though it was not to: %s", name, reason)
	}
}

func TestCorpusHand(t *testing.T) {
	var hand struct {
		Cases []struct {
			Name, Group string
			Cols, Rows  int
			Steps       []corpusStep
			Accept      []struct {
				Rows   []string
				Cursor [2]int
			}
			Attrs []struct {
				Cell [2]int
				Want string
			}
			Scrollback []string
			Title      *string
		}
	}
	corpus(t, "hand.json", &hand)
	passed := tally{}
	for _, test := range hand.Cases {
		term := playCorpus(test.Cols, test.Rows, DefaultScrollback, test.Steps)
		s := term.Snapshot(Visible())
		rows, cursor := rowsOf(s), [2]int{s.Cursor.Col, s.Cursor.Row}
		problem := fmt.Sprintf("rows %q, cursor %v", rows, cursor)
		for _, a := range test.Accept {
			if rows == strings.Join(a.Rows, "\n") && cursor == a.Cursor {
				problem = ""
			}
		}
		for _, a := range test.Attrs {
			if got := look(cellOf(s, a.Cell[0], a.Cell[1]).Style); got != a.Want {
				problem += fmt.Sprintf(" cell %v is %s, want %s", a.Cell, got, a.Want)
			}
		}
		if got := historyOf(term); test.Scrollback != nil && !slices.Equal(got, test.Scrollback) {
			problem += fmt.Sprintf(" scrollback %q, want %q", got, test.Scrollback)
		}
		if test.Title != nil && s.Title != *test.Title {
			problem += fmt.Sprintf(" title %q, want %q", s.Title, *test.Title)
		}
		passed.add(test.Group, problem == "")
		judge(t, test.Name, problem, nil)
	}
	if len(hand.Cases) != 145 {
		t.Errorf("%d cases, not 145", len(hand.Cases))
	}
	t.Log(passed)
}

// libvtermMisses are the checks for which xterm shows something else, or whose conversion has
// another meaning. A number counts the checks of the same name.
var libvtermMisses = map[string]string{
	"13state_edit: IL 3":                                          "IL goes to the left margin (DEC STD 070, xterm)",
	"15state_mode: Origin mode with DECSLRM":                      "DECSLRM is a function of the VT420, for which DECSCL must ask",
	"16state_resize: Resize shrink moves cursor":                  "the check is of libvterm without reflow: the cursor follows its text",
	"28state_dbl_wh: Double Width, Single Height 2":               "lines of double width are shown as they were written",
	"63screen_resize: Resize taller attempts to pop scrollback 3": "the check's own scrollback has lines at all times",
	"63screen_resize: Resize taller attempts to pop scrollback 4": "the check's own scrollback has lines at all times",
	"90vttest_01-movement-1: Output":                              "what vttest draws in a loop was not converted",
	"90vttest_01-movement-1: Output 2":                            "what vttest draws in a loop was not converted",
	"90vttest_01-movement-1: Output 3":                            "what vttest draws in a loop was not converted",
	"90vttest_01-movement-1: Output 4":                            "what vttest draws in a loop was not converted",
	"90vttest_01-movement-1: Output 5":                            "what vttest draws in a loop was not converted",
	"90vttest_01-movement-1: Output 6":                            "what vttest draws in a loop was not converted",
	"90vttest_01-movement-1: Output 7":                            "what vttest draws in a loop was not converted",
	"90vttest_01-movement-1: Output 8":                            "what vttest draws in a loop was not converted",
	"90vttest_02-screen-2: Output":                                "what vttest draws in a loop was not converted",
	"90vttest_02-screen-2: Output 2":                              "what vttest draws in a loop was not converted",
	"90vttest_02-screen-2: Output 3":                              "what vttest draws in a loop was not converted",
}

func TestCorpusLibvterm(t *testing.T) {
	var libvterm struct {
		Checks []struct {
			File, Name string
			Steps      []corpusStep
			Cursor     *[2]int
			Row        int
			Text       string
		}
	}
	corpus(t, "libvterm.json", &libvterm)
	passed, seen := tally{}, map[string]int{}
	for _, check := range libvterm.Checks {
		s := playCorpus(80, 25, 0, check.Steps).Snapshot(Visible()) // libvterm itself has no scrollback
		problem := ""
		switch cursor := [2]int{s.Cursor.Col, s.Cursor.Row}; {
		case check.Cursor != nil && *check.Cursor != cursor:
			problem = fmt.Sprintf("cursor at %v, want %v", cursor, *check.Cursor)
		case check.Cursor == nil && s.Text(check.Row, false) != strings.TrimRight(check.Text, " "):
			problem = fmt.Sprintf("row %d is %q, want %q", check.Row, s.Text(check.Row, false), check.Text)
		}
		passed.add(check.File, problem == "")
		name := strings.TrimSuffix(check.File, ".test") + ": " + check.Name
		if seen[name]++; seen[name] > 1 {
			name += fmt.Sprint(" ", seen[name])
		}
		judge(t, name, problem, libvtermMisses)
	}
	if len(libvterm.Checks) != 317 {
		t.Errorf("%d checks, not 317", len(libvterm.Checks))
	}
	t.Log(passed)
}
