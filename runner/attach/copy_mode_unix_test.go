//go:build unix

package attach

import (
	"fmt"
	"strings"
	"testing"

	"devtools/ledger"
	"devtools/runner/runnertest"
	"devtools/screen"
)

// lookBack returns copy mode for what a program has printed in a terminal of 20x5, in a window of the size.
func lookBack(printed string, window ledger.Size) *copyMode {
	session := screen.New(20, 5, 1000)
	_, _ = session.Write([]byte(printed))
	return newCopyMode(session.Snapshot(screen.View{First: -screen.MaxScrollback, Last: screen.MaxRows}), window)
}

// numbered returns lines with the numbers from 1 on.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\r\n", i+1)
	}
	return b.String()
}

// press does what keys stand for.
func (c *copyMode) press(keys string) {
	var in copyInput
	in.begin()
	actions, _ := in.take([]byte(keys))
	for _, a := range actions {
		if a.do != endCopy {
			c.do(a)
		}
	}
}

// Each key moves to the right place. A position is what tmux shows: rows below the window, and how many there can be.
func TestCopyModeMoves(t *testing.T) {
	for keys, want := range map[string]struct {
		at       place
		position string
	}{
		"":                         {place{20, 0}, "[0/16]"},
		"k":                        {place{19, 0}, "[0/16]"},
		"kkkk":                     {place{16, 0}, "[0/16]"},
		"kkkkk":                    {place{15, 0}, "[1/16]"},
		"kkkkkjjjjjj":              {place{20, 0}, "[0/16]"},
		"\x02":                     {place{17, 0}, "[3/16]"},
		"\x02\x02\x06":             {place{17, 0}, "[3/16]"},
		"\x15":                     {place{18, 0}, "[2/16]"},
		"\x15\x15\x04":             {place{18, 0}, "[2/16]"},
		"g":                        {place{0, 0}, "[16/16]"},
		"gk\x02":                   {place{0, 0}, "[16/16]"},
		"gG":                       {place{20, 0}, "[0/16]"},
		"gGj\x06":                  {place{20, 0}, "[0/16]"},
		"gll":                      {place{0, 2}, "[16/16]"},
		"gllllllllll":              {place{0, 5}, "[16/16]"}, // the row ends there
		"glllhj":                   {place{1, 2}, "[16/16]"},
		"ghh":                      {place{0, 0}, "[16/16]"},
		"\x02\x02\x02\x02\x02\x02": {place{1, 0}, "[16/16]"},
	} {
		c := lookBack(numbered(20), ledger.Size{Cols: 20, Rows: 5})
		c.press(keys)
		if got := (place{c.row, c.col}); got != want.at {
			t.Errorf("%q: the cursor is at %v, want %v", keys, got, want.at)
		}
		if text := copyText(c); !strings.Contains(strings.SplitN(text, "\n", 2)[0], want.position) {
			t.Errorf("%q: the position is not %s:\n%s", keys, want.position, text)
		}
	}
}

// copyText returns what a window shows of copy mode.
func copyText(c *copyMode) string {
	w := screen.New(c.window.Cols, c.window.Rows, 0)
	c.drawn = copyView{}
	_, _ = w.Write(c.paint())
	return runnertest.Text(w.Snapshot(screen.Visible()))
}

// A search goes on from the cursor and begins anew at the end. A line that the terminal has broken is one line.
func TestCopyModeSearches(t *testing.T) {
	text := "Alpha\r\nbeta\r\n" + strings.Repeat("x", 18) + "needle\r\nalpha (1)\r\nALPHA\r\n漢字 alpha\r\n"
	for keys, want := range map[string]place{
		"g/alpha\r":     {4, 0},
		"g/alpha\rn":    {5, 0},
		"g/alpha\rnn":   {6, 5},
		"g/alpha\rnnn":  {0, 0},
		"g/alpha\rnnnn": {4, 0},
		"g/alpha\rN":    {0, 0},
		"g/alpha\rNN":   {6, 5},
		"G?alpha\r":     {6, 5},
		"G?alpha\rn":    {5, 0},
		"G?alpha\rN":    {0, 0},
		"g/ALPHA\r":     {5, 0},
		"g/Alpha\rn":    {0, 0},
		"g/needle\r":    {2, 18},
		"g/^al.*1\r":    {4, 0},
		"g/(1\r":        {4, 6}, // no regular expression
		"g/字\r":         {6, 2},
		"g/x*\r":        {2, 0},
		"g/x*\rn":       {2, 0},
		"g/beta\x1bn":   {0, 0},
		"g/beta\r/\r":   {1, 0},
		"gjj/nothere\r": {2, 0},
		"gn":            {0, 0},
		"g/betx\x7fa\r": {1, 0},
	} {
		c := lookBack(text, ledger.Size{Cols: 40, Rows: 5})
		c.press(keys)
		if got := (place{c.row, c.col}); got != want {
			t.Errorf("%q: the cursor is at %v, want %v", keys, got, want)
		}
		if strings.Contains(keys, "nothere") != strings.Contains(copyText(c), "not found: nothere [") {
			t.Errorf("%q: %s", keys, copyText(c))
		}
	}
}

// The window shows the rows with their colours and wide characters, in its own size.
func TestCopyModePaints(t *testing.T) {
	printed := numbered(10) + "\x1b[31mred 漢字\x1b[m\r\n\x1b[44mblue\x1b[m 12345678901234\r\n世界世界世界世界世界\r\nlast"
	for _, window := range []ledger.Size{{Cols: 20, Rows: 5}, {Cols: 20, Rows: 9}, {Cols: 40, Rows: 30}, {Cols: 7, Rows: 3}, {Cols: 1, Rows: 1}} {
		c := lookBack(printed, window)
		w := screen.New(window.Cols, window.Rows, 0)
		for _, keys := range []string{"", "k", "k", "\x02", "G", "g", "/red\r", "lllll", "/xyz", "\r", "?line\r"} {
			if keys == "/xyz" {
				c.finder.do(copyAction{do: askForward}, c.pic, place{})
			} else {
				c.press(keys)
			}
			_, _ = w.Write(c.paint())
			fresh := screen.New(window.Cols, window.Rows, 0)
			drawn := c.drawn
			c.drawn = copyView{}
			_, _ = fresh.Write(c.paint())
			if c.drawn != drawn {
				t.Errorf("%v, %q: it draws another view", window, keys)
			}
			got, want := w.Snapshot(screen.Visible()), fresh.Snapshot(screen.Visible())
			if got.Hash() != want.Hash() || got.Cursor != want.Cursor {
				t.Errorf("%v, %q: drawn bit by bit\n%s\nat once\n%s", window, keys, runnertest.Text(got), runnertest.Text(want))
			}
		}
	}
	c := lookBack(printed, ledger.Size{Cols: 20, Rows: 5})
	w := screen.New(20, 5, 0)
	_, _ = w.Write(c.paint())
	s := w.Snapshot(screen.Visible())
	if got, want := runnertest.Text(s), "line 10        [0/9]\nred 漢字\nblue 12345678901234\n世界世界世界世界世界\nlast"; got != want {
		t.Errorf("it shows\n%s\nwant\n%s", got, want)
	}
	for cell := range s.Cells(1) {
		if cell.Style.Foreground != screen.Indexed(1) {
			t.Errorf("red is %+v", cell.Style)
		}
	}
	if s.Cursor.Row != 4 || s.Cursor.Col != 3 {
		t.Errorf("the cursor is at %d,%d", s.Cursor.Col, s.Cursor.Row)
	}
}

// The cursor stays on a character when the window changes its size.
func TestCopyModeFits(t *testing.T) {
	c := lookBack(numbered(50), ledger.Size{Cols: 20, Rows: 5})
	c.press("gjjjjjjjj")
	for _, size := range []ledger.Size{{Cols: 20, Rows: 2}, {Cols: 3, Rows: 40}, {Cols: 100, Rows: 100}, {Cols: 20, Rows: 1}} {
		c.fit(size)
		if c.row != 8 || c.row < c.top || c.row >= c.top+size.Rows {
			t.Errorf("%v: the cursor is in row %d, the window begins at %d", size, c.row, c.top)
		}
		if text := copyText(c); size.Cols >= 20 && size.Rows > 1 && !strings.Contains(text, "line 9") {
			t.Errorf("%v:\n%s", size, text)
		}
	}
}
