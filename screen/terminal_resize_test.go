package screen

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// A resizeTest is the expected screen of a terminal after changes of its size, each followed by
// input.
type resizeTest struct {
	name       string
	cols, rows int
	in         string
	sizes      [][2]int
	after      string
	want       string
	col, row   int
	history    []string
}

func TestTerminalResize(t *testing.T) {
	for _, test := range []resizeTest{
		{name: "the same", cols: 10, rows: 3, in: "a\r\nb", sizes: [][2]int{{10, 3}}, want: "a\nb", col: 1, row: 1},
		{name: "narrower", cols: 10, rows: 4, in: "abcdefghij\r\nxy", sizes: [][2]int{{5, 4}}, want: "abcde\nfghij\nxy", col: 2, row: 2},
		{name: "narrower and back", cols: 10, rows: 4, in: "abcdefghij\r\nxy", sizes: [][2]int{{3, 4}, {10, 4}}, want: "abcdefghij\nxy", col: 2, row: 1},
		{name: "wider", cols: 5, rows: 4, in: "abcdefg\r\nxy", sizes: [][2]int{{10, 4}}, want: "abcdefg\nxy", col: 2, row: 1},
		{name: "wider, lines of their own", cols: 5, rows: 4, in: "abc\r\ndef", sizes: [][2]int{{10, 4}}, want: "abc\ndef", col: 3, row: 1},
		{name: "full row that ends", cols: 5, rows: 4, in: "abcde\r\nfg", sizes: [][2]int{{10, 4}}, want: "abcde\nfg", col: 2, row: 1},
		{name: "cursor within the line", cols: 10, rows: 4, in: "abcdefghij\x1b[1;8H", sizes: [][2]int{{5, 4}}, after: "X", want: "abcde\nfgXij", col: 3, row: 1},
		{name: "cursor within the line and back", cols: 10, rows: 4, in: "abcdefghij\x1b[1;8H", sizes: [][2]int{{5, 4}, {10, 4}}, after: "X", want: "abcdefgXij", col: 8, row: 0},
		{name: "pending wrap, wider", cols: 5, rows: 4, in: "abcde", sizes: [][2]int{{10, 4}}, after: "f", want: "abcdef", col: 6, row: 0},
		{name: "pending wrap, narrower", cols: 10, rows: 4, in: "abcdefghij", sizes: [][2]int{{5, 4}}, after: "k", want: "abcde\nfghij\nk", col: 1, row: 2},
		{name: "wide character at the edge", cols: 5, rows: 4, in: "ab世c", sizes: [][2]int{{3, 4}}, want: "ab\n世c", col: 2, row: 1},
		{name: "wide character at the edge and back", cols: 5, rows: 4, in: "ab世c\r\n", sizes: [][2]int{{3, 4}, {5, 4}}, want: "ab世c", col: 0, row: 1},
		{name: "wide character that had wrapped", cols: 5, rows: 4, in: "abcd世e", sizes: [][2]int{{10, 4}}, want: "abcd世e", col: 7, row: 0},
		{name: "blanks within the line", cols: 10, rows: 4, in: "ab\x1b[1;9Hcd\r\n", sizes: [][2]int{{5, 4}}, want: "ab\n   cd", col: 0, row: 2},
		{name: "scrollback is joined", cols: 5, rows: 2, in: "abcdefghijkl", sizes: [][2]int{{13, 2}}, want: "abcdefghijkl", col: 12, row: 0},
		{name: "into the scrollback", cols: 10, rows: 2, in: "abcdefghij\r\nxy", sizes: [][2]int{{5, 2}}, want: "fghij\nxy", col: 2, row: 1, history: []string{"abcde"}},
		{name: "into the scrollback and back", cols: 10, rows: 2, in: "abcdefghij\r\nxy", sizes: [][2]int{{5, 2}, {10, 2}}, want: "abcdefghij\nxy", col: 2, row: 1},
		{name: "a row erased is no part of the line above", cols: 5, rows: 4, in: "abcdefg\x1b[2K\rxy", sizes: [][2]int{{10, 4}}, want: "abcde\nxy", col: 2, row: 1},
		{name: "nor of the scrollback's", cols: 5, rows: 2, in: "abcdefghijkl\x1b[H\x1b[Jxy", sizes: [][2]int{{13, 2}}, want: "xy", col: 2, row: 0, history: []string{"abcde"}},
		{name: "nor a row inserted", cols: 5, rows: 2, in: "abcdefghijkl\x1b[H\x1b[Lxy", sizes: [][2]int{{13, 2}}, want: "xy\nfghij", col: 2, row: 0, history: []string{"abcde"}},
		{name: "lower", cols: 10, rows: 4, in: "1\r\n2\r\n3\r\n4", sizes: [][2]int{{10, 2}}, want: "3\n4", col: 1, row: 1, history: []string{"1", "2"}},
		{name: "lower, blank below", cols: 10, rows: 5, in: "1\r\n2", sizes: [][2]int{{10, 2}}, want: "1\n2", col: 1, row: 1},
		{name: "higher", cols: 10, rows: 2, in: "1\r\n2\r\n3\r\n4", sizes: [][2]int{{10, 3}}, want: "2\n3\n4", col: 1, row: 2, history: []string{"1"}},
		{name: "higher than the scrollback", cols: 10, rows: 2, in: "1\r\n2\r\n3", sizes: [][2]int{{10, 5}}, want: "1\n2\n3", col: 1, row: 2},
		{name: "lower and higher", cols: 10, rows: 4, in: "1\r\n2\r\n3\r\n4", sizes: [][2]int{{10, 2}, {10, 4}}, want: "1\n2\n3\n4", col: 1, row: 3},
		{name: "both", cols: 10, rows: 3, in: "abcdefghij\r\nABCDEFGHIJ\r\nx", sizes: [][2]int{{5, 2}, {20, 7}, {10, 3}}, want: "abcdefghij\nABCDEFGHIJ\nx", col: 1, row: 2},
		{name: "alternate, narrower", cols: 10, rows: 2, in: "\x1b[?1049h\x1b[Habcdefghij\r\nx", sizes: [][2]int{{5, 2}}, want: "abcde\nx", col: 1, row: 1},
		{name: "alternate, wider", cols: 5, rows: 3, in: "\x1b[?1049h\x1b[Habcdefg", sizes: [][2]int{{10, 3}}, want: "abcde\nfg", col: 2, row: 1},
		{name: "the main one meanwhile", cols: 10, rows: 3, in: "abcdefghij\r\nx\x1b[?1049h\x1b[2Jy", sizes: [][2]int{{5, 3}}, after: "\x1b[?1049lX", want: "abcde\nfghij\nxX", col: 2, row: 2},
		{name: "the main one there and back", cols: 10, rows: 3, in: "abcdefghij\r\nx\x1b[?1049h\x1b[2Jy", sizes: [][2]int{{5, 3}, {10, 3}}, after: "\x1b[?1049lX", want: "abcdefghij\nxX", col: 2, row: 1},
		{name: "the region ends", cols: 10, rows: 3, in: "a\r\nb\r\nc\x1b[1;2r\x1b[3;1H", sizes: [][2]int{{10, 4}}, after: "\n\nd", want: "b\nc\n\nd", col: 1, row: 3, history: []string{"a"}},
		{name: "the margins end", cols: 10, rows: 3, in: vt420 + "\x1b[?69h\x1b[3;6s", sizes: [][2]int{{12, 3}}, after: "\x1b[1;1Habcdefghijkl\r\x1b[@", want: " abcdefghijk", col: 0, row: 0},
		{name: "tabs", cols: 10, rows: 3, sizes: [][2]int{{30, 3}}, after: "\t\ta", want: "                a", col: 17, row: 0},
		{name: "tabs stay cleared", cols: 20, rows: 3, in: "\x1b[3g", sizes: [][2]int{{18, 3}}, after: "\ta", want: "                 a", col: 17, row: 0},
		{name: "to one cell", cols: 10, rows: 3, in: "abc\r\n", sizes: [][2]int{{1, 1}, {10, 3}}, after: "X", want: "abc\nX", col: 1, row: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			term := terminalWith(test.cols, test.rows, 100, test.in)
			for _, size := range test.sizes {
				term.Resize(size[0], size[1])
				if err := checkSnapshot(term.Snapshot(everything), 100); err != nil {
					t.Errorf("%v: %v", size, err)
				}
			}
			term.Write([]byte(test.after))
			s := term.Snapshot(Visible())
			if got := rowsOf(s); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if s.Cursor.Col != test.col || s.Cursor.Row != test.row {
				t.Errorf("cursor at %d,%d, want %d,%d", s.Cursor.Col, s.Cursor.Row, test.col, test.row)
			}
			if got := historyOf(term); !slices.Equal(got, test.history) {
				t.Errorf("scrollback %q, want %q", got, test.history)
			}
		})
	}
}

// Styles, marks and the ends of lines move with their text.
func TestTerminalReflowKeeps(t *testing.T) {
	term := terminalWith(10, 3, 100, "\x1b]133;A\aabcd\x1b[31mefghij\x1b[mkl\r\n\x1b]133;D;0\ax")
	term.Resize(5, 5)
	s := term.Snapshot(everything)
	if got := rowsOf(s); got != "abcde\nfghij\nkl\nx" {
		t.Fatalf("got %q", got)
	}
	for i, want := range []string{"/-/-", "/1/-", "/-/-", "/-/-"} {
		if got := look(cellOf(s, 0, i).Style); got != want {
			t.Errorf("row %d begins in %s, want %s", i, got, want)
		}
		if s.Lines[i].Wrapped != (i < 2) {
			t.Errorf("row %d: wrapped is %v", i, s.Lines[i].Wrapped)
		}
		if got := len(s.Lines[i].Marks); got != []int{1, 0, 0, 1}[i] {
			t.Errorf("row %d has %d marks", i, got)
		}
	}
}

func TestTerminalSizes(t *testing.T) {
	for _, size := range [][2]int{{-1, -1}, {0, 0}, {1, 1}, {2, 1}, {1, 2}, {MaxCols, 7}, {3, MaxRows}, {1 << 30, 1 << 30}} {
		term := New(size[0], size[1], 10)
		for _, in := range []string{"ab世c\r\n\t\x1b[99A\x1b[99C\x1b[J\x1b[2@\x1b[L\x1b[?1049hx世\x1b[?1049l\x1b6\x1b9", vt420 + "\x1b[?69h\x1b[1;2sab世c\x1b[2@\x1b[2P\x1b['}\x1b[ @"} {
			term.Write([]byte(in))
			s := term.Snapshot(everything)
			if s.Cols != max(1, min(size[0], MaxCols)) || s.Rows != max(1, min(size[1], MaxRows)) {
				t.Errorf("%v: size is %dx%d", size, s.Cols, s.Rows)
			}
			if err := checkSnapshot(s, 10); err != nil {
				t.Errorf("%v: %v", size, err)
			}
		}
		term.Resize(size[1], size[0])
		if err := checkSnapshot(term.Snapshot(everything), 10); err != nil {
			t.Errorf("%v turned: %v", size, err)
		}
	}
}

func TestTerminalScrollback(t *testing.T) {
	var lines strings.Builder
	for i := range 20 {
		fmt.Fprintf(&lines, "line %d\r\n", i)
	}
	for _, test := range []struct {
		scrollback, history int
		first               string
	}{{5, 5, "line 14"}, {0, 0, "line 19"}, {-1, 0, "line 19"}, {1, 1, "line 18"}, {19, 19, "line 0"}, {100, 19, "line 0"}, {math.MaxInt, 19, "line 0"}} {
		term := terminalWith(10, 2, test.scrollback, lines.String())
		s := term.Snapshot(everything)
		if s.History != test.history || s.First != -test.history || s.Text(0, false) != test.first {
			t.Errorf("%d lines: %d kept from %d, %q first; want %d, %q", test.scrollback, s.History, s.First, s.Text(0, false), test.history, test.first)
		}
		term.Resize(3, 2)
		if err := checkSnapshot(term.Snapshot(everything), max(test.scrollback, 0)); err != nil {
			t.Errorf("%d lines, narrower: %v", test.scrollback, err)
		}
	}
	for _, test := range []struct {
		in      string
		history []string
	}{
		{"1\r\n2\r\n3\x1b[S", []string{"1"}},
		{"1\r\n2\r\n3\x1b[1;2r\x1b[2;1H\n", []string{"1"}},
		{"1\r\n2\r\n3\x1b[2;3r\x1b[3;1H\n", nil},
		{"1\r\n2\r\n3\x1b[H\x1b[M", nil},
		{"1\r\n2\r\n3\x1b[T", nil},
		{vt420 + "1\r\n2\r\n3\x1b[?69h\x1b[2;5s\x1b[3;2H\n", nil},
		{"1\r\n2\r\n3\r\n4\x1b[3J", nil},
		{"1\r\n2\r\n3\r\n4\x1b[2J", []string{"1"}},
	} {
		if got := historyOf(terminalWith(10, 3, 100, test.in)); !slices.Equal(got, test.history) {
			t.Errorf("%q: scrollback %q, want %q", test.in, got, test.history)
		}
	}
}

// A view is a part of the rows. Missing rows are left out.
func TestTerminalViews(t *testing.T) {
	term := terminalWith(10, 3, 100, "1\r\n2\r\n3\r\n4\r\n5\r\n6")
	for _, test := range []struct {
		view  View
		first int
		want  string
	}{
		{Visible(), 0, "4\n5\n6"},
		{View{First: 1, Last: 1}, 1, "5"},
		{View{First: -1, Last: 0}, -1, "3\n4"},
		{View{First: -2, Last: -1}, -2, "2\n3"},
		{View{First: -99, Last: -2}, -3, "1\n2"},
		{View{First: math.MinInt, Last: math.MaxInt}, -3, "1\n2\n3\n4\n5\n6"},
		{View{First: 2, Last: 1}, 2, ""},
		{View{First: 7, Last: 9}, 3, ""},
	} {
		s := term.Snapshot(test.view)
		if got := rowsOf(s); got != test.want || len(s.Lines) > 0 && s.First != test.first {
			t.Errorf("%+v: %q from %d, want %q from %d", test.view, got, s.First, test.want, test.first)
		}
		if s.History != 3 || s.Rows != 3 {
			t.Errorf("%+v: %d rows and %d of scrollback", test.view, s.Rows, s.History)
		}
	}
}
