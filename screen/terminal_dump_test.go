package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// everything is a View of all rows of the screen in use.
var everything = View{First: -MaxScrollback, Last: MaxRows}

// terminalWith returns a terminal after the input in.
func terminalWith(cols, rows, scrollback int, in string) *Terminal {
	t := New(cols, rows, scrollback)
	t.Write([]byte(in))
	return t
}

// rowsOf returns the lines of s, trimmed as by trimRows.
func rowsOf(s *Snapshot) string {
	rows := make([]string, len(s.Lines))
	for i := range rows {
		rows[i] = s.Text(i, false)
	}
	return trimRows(strings.Join(rows, "\n"))
}

// historyOf returns the lines of the scrollback, from the oldest.
func historyOf(t *Terminal) []string {
	s := t.Snapshot(View{First: -MaxScrollback, Last: MaxRows})
	var lines []string
	for i := range s.History {
		lines = append(lines, s.Text(i, false))
	}
	return lines
}

// cellOf returns the cell at col in line i, a blank one if s has none.
func cellOf(s *Snapshot, col, i int) Cell {
	if i < len(s.Lines) {
		for c := range s.Cells(i) {
			if c.Col <= col && col < c.Col+c.Width {
				return c
			}
		}
	}
	return Cell{Col: col, Width: 1}
}

// look returns a style in the form of hand.json: letters, foreground, background.
func look(s Style) string {
	var b strings.Builder
	for i, a := range []Attributes{Bold, Dim, Italic, 0, Blink, Reverse, Hidden, Strike} {
		if a == 0 && s.Underline != NoUnderline || a != 0 && s.Has(a) {
			b.WriteByte("bdiukrhs"[i])
		}
	}
	for _, c := range []Color{s.Foreground, s.Background} {
		b.WriteByte('/')
		if c.IsDefault() {
			b.WriteByte('-')
		}
		b.WriteString(c.String())
	}
	return b.String()
}

// dump returns everything that s can tell.
func dump(s *Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%dx%d first %d history %d cursor %+v title %q icon %q cwd %q\nmodes %+v\npalette %v %v %v",
		s.Cols, s.Rows, s.First, s.History, s.Cursor, s.Title, s.Icon, s.Cwd, s.Modes,
		s.Palette.Foreground, s.Palette.Background, s.Palette.Cursor)
	for i := range 256 {
		if c := s.Palette.Entry(uint8(i)); c != (Palette{}).Entry(uint8(i)) {
			fmt.Fprintf(&b, " %d=%v", i, c)
		}
	}
	for i, line := range s.Lines {
		fmt.Fprintf(&b, "\n%d %v %v:", s.First+i, line.Wrapped, line.Marks)
		last := Style{}
		for c := range s.Cells(i) {
			if c.Style != last {
				last = c.Style
				link, _ := s.Link(c.Style)
				fmt.Fprintf(&b, "{%s %d %v %v %q}", look(c.Style), c.Style.Underline, c.Style.UnderlineColor, c.Style.Attributes, link)
			}
			if c.Text == "" {
				b.WriteByte('_')
			}
			b.WriteString(c.Text)
			if c.Width != 1 {
				b.WriteByte('<')
			}
		}
	}
	return b.String()
}

// checkSnapshot reports impossible values in s. Its terminal keeps scrollback lines, and its view
// was everything.
func checkSnapshot(s *Snapshot, scrollback int) error {
	if again, err := Decode(s.Encode()); err != nil || dump(again) != dump(s) {
		return fmt.Errorf("after the wire: %v", err)
	}
	switch c := s.Cursor; {
	case s.Cols < 1 || s.Cols > MaxCols || s.Rows < 1 || s.Rows > MaxRows:
		return fmt.Errorf("size %dx%d", s.Cols, s.Rows)
	case c.Col < 0 || c.Col >= s.Cols || c.Row < 0 || c.Row >= s.Rows:
		return fmt.Errorf("cursor at %d,%d of %dx%d", c.Col, c.Row, s.Cols, s.Rows)
	case s.History < 0 || s.History > scrollback && (scrollback == 0 || s.History > roomFor(s.Cols)): // a narrower screen may have more
		return fmt.Errorf("%d lines of scrollback, of %d", s.History, scrollback)
	case s.First != -s.History || len(s.Lines) != s.Rows-s.First:
		return fmt.Errorf("%d lines from %d, of %d rows and %d of scrollback", len(s.Lines), s.First, s.Rows, s.History)
	}
	if !utf8.ValidString(s.Title + s.Icon + s.Cwd) {
		return fmt.Errorf("title %q, icon %q or cwd %q is not UTF-8", s.Title, s.Icon, s.Cwd)
	}
	for i := range s.Lines {
		if err := checkLine(s, i); err != nil {
			return fmt.Errorf("line %d: %w", s.First+i, err)
		}
	}
	return nil
}

// checkLine compares the three ways to read a line. They must agree, and no cell may lie behind the
// last column or overlap another.
func checkLine(s *Snapshot, i int) error {
	var text strings.Builder
	var cells []Run
	width := 0
	for c := range s.Cells(i) {
		if c.Col != width || c.Width != 1 && c.Width != 2 {
			return fmt.Errorf("cell %+v behind %d columns", c, width)
		}
		width += c.Width
		if link, _ := s.Link(c.Style); !utf8.ValidString(link.URI+link.ID) || strings.ContainsFunc(link.URI+link.ID, isControl) {
			return fmt.Errorf("link %+q", link)
		}
		if len(c.Text) > 256 || !utf8.ValidString(c.Text) || strings.ContainsFunc(c.Text, isControl) || c.Width == 2 && c.Text == "" {
			return fmt.Errorf("cell %+v", c)
		}
		if c.Text == "" {
			c.Text = " "
		}
		text.WriteString(c.Text)
		if n := len(cells); n > 0 && cells[n-1].Style == c.Style {
			cells[n-1].Width += c.Width
			cells[n-1].Text += c.Text
		} else {
			cells = append(cells, Run(c))
		}
	}
	if width > s.Cols {
		return fmt.Errorf("%d columns of %d", width, s.Cols)
	}
	if runs := slices.Collect(s.Runs(i)); !slices.Equal(runs, cells) {
		return fmt.Errorf("runs %+v, of cells %+v", runs, cells)
	}
	want := strings.TrimRight(text.String(), " ")
	if got := s.Text(i, false); got != want {
		return fmt.Errorf("text %q, of cells %q", got, want)
	}
	if got := s.Text(i, true); strings.TrimRight(got, " ") != want {
		return fmt.Errorf("text with blanks %q, of cells %q", got, want)
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// A screenTest is the expected screen of a terminal of cols x rows after the input in.
type screenTest struct {
	name       string
	cols, rows int
	in, want   string
	col, row   int // of the cursor
}

// runScreenTests writes each stream at once and in single bytes.
func runScreenTests(t *testing.T, tests []screenTest) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, step := range []int{len(test.in), 1} {
				term := New(test.cols, test.rows, 100)
				for b := range slices.Chunk([]byte(test.in), max(step, 1)) {
					term.Write(b)
				}
				s := term.Snapshot(Visible())
				if got := rowsOf(s); got != test.want {
					t.Errorf("%q in steps of %d:\n got %q\nwant %q", test.in, step, got, test.want)
				}
				if s.Cursor.Col != test.col || s.Cursor.Row != test.row {
					t.Errorf("%q in steps of %d: cursor at %d,%d, want %d,%d", test.in, step, s.Cursor.Col, s.Cursor.Row, test.col, test.row)
				}
				if err := checkSnapshot(term.Snapshot(everything), 100); err != nil {
					t.Errorf("%q: %v", test.in, err)
				}
			}
		})
	}
}
