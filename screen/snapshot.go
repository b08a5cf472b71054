package screen

import "iter"

// A Snapshot is the picture of a terminal at one moment. It does not change, and several goroutines
// may use it.
type Snapshot struct {
	Cols, Rows int    // the size of the screen, in cells
	Exists     bool   // the screen exists: the alternate screen does once a program has used it
	Lines      []Line // the rows of the View, from the top
	First      int    // the number of Lines[0]: 0 is the top row of the screen, -1 the newest row of the scrollback
	History    int    // rows in the scrollback

	Cursor  Cursor
	Title   string // OSC 0 and 2
	Icon    string // OSC 0 and 1
	Cwd     string // the folder as the shell gave it with OSC 7: a file URL
	Modes   Modes
	Palette Palette

	Clipboard string // the text that the program last copied with OSC 52

	styles   []Style
	clusters []string
	links    []Link
}

// A Line is a row of a Snapshot.
type Line struct {
	Wrapped bool   // its text continues in the next row: the terminal broke the line, not the program
	Marks   []Mark // the marks of the shell's integration

	cells []cell // without the blank cells at the end
}

// A Cursor is the place of the next character. Both numbers count from 0 at the top left of the
// screen. A cursor behind the last column (pending wrap) counts as in the last column.
type Cursor struct {
	Col, Row int
	Visible  bool
	Shape    CursorShape
	Blinking bool
	Pending  bool // the next character goes to the next row
}

// A CursorShape is the look of the cursor (DECSCUSR).
type CursorShape uint8

// The shapes.
const (
	Block CursorShape = iota
	UnderlineShape
	Bar
)

// String returns "block", "underline" or "bar".
func (s CursorShape) String() string { return [...]string{"block", "underline", "bar"}[min(s, Bar)] }

// Modes are the settings that tell how a program takes its input, and what its screen looks like
// (xterm ctlseqs, DECSET).
type Modes struct {
	Alternate         bool   // 47, 1047, 1049: the alternate screen
	ApplicationCursor bool   // 1: DECCKM
	ApplicationKeypad bool   // 66: DECNKM
	BracketedPaste    bool   // 2004
	Focus             bool   // 1004: focus reports
	Mouse             Mouse  // which mouse events are reported
	MouseEncoding     string // "", "utf8", "sgr", "urxvt", "sgr-pixels"
	Synchronized      bool   // 2026: the program is drawing a frame
	Graphemes         bool   // 2027: clusters have a width, not characters
	ReverseVideo      bool   // 5: DECSCNM
	Insert            bool   // IRM
	Origin            bool   // 6: DECOM
	AutoWrap          bool   // 7: DECAWM
	LineFeedNewLine   bool   // LNM: Enter is CR LF
	Keyboard          int    // flags of the kitty keyboard protocol
	OtherKeys         int    // xterm's modifyOtherKeys: 0, 1 or 2
}

// Mouse says which mouse events a program asked for.
type Mouse uint16

// The mouse modes; the values are those of DECSET.
const (
	NoMouse     Mouse = 0
	MouseX10    Mouse = 9    // presses
	MouseNormal Mouse = 1000 // presses and releases
	MouseButton Mouse = 1002 // and motion with a button down
	MouseAny    Mouse = 1003 // and all motion
)

// A Link is the target of a hyperlink (OSC 8).
type Link struct {
	URI string
	ID  string // cells with the same ID belong to one link; may be empty
}

// A Mark is a place in the output that the shell's integration marked (OSC 133).
type Mark struct {
	Col      int
	Kind     byte // 'A' prompt, 'B' input, 'C' output, 'D' the end of a command
	ExitCode int  // only of 'D'; -1 if the shell gave none
}

// A Cell is a character and the columns it takes.
type Cell struct {
	Col   int
	Width int    // 1 or 2
	Text  string // the character with its combining marks; "" if no program wrote to the cell
	Style Style
}

// A Run is text in one style.
type Run struct {
	Col   int
	Width int // columns
	Text  string
	Style Style
}

// A View says which rows of which screen a Snapshot has.
type View struct {
	First      int  `json:"first"`               // counts as Snapshot.First; rows that do not exist are left out
	Last       int  `json:"last"`                // included
	Other      bool `json:"other,omitzero"`      // the screen that is not in use: the main screen while the program uses the alternate one
	Unfinished bool `json:"unfinished,omitzero"` // a frame that the program is drawing (mode 2026), as far as it is drawn
}

// Visible returns the View of all rows of the screen.
func Visible() View { return View{First: 0, Last: MaxRows} }

// Snapshot returns the picture of the terminal.
func (t *Terminal) Snapshot(v View) *Snapshot {
	if t.frame.before != nil && !v.Unfinished && !v.Other {
		return t.snapshotBefore(v)
	}
	p := t.page
	if v.Other {
		p = t.other()
	}
	s := t.picture(p)
	s.Exists = p.rows != nil
	if p == &t.main {
		s.History = len(t.history.rows)
	}
	t.copyRows(s, p.rows, 0, v)
	return s
}

// other returns the page that is not in use. It has no rows if it was never used.
func (t *Terminal) other() *page {
	if t.page == &t.main {
		return &t.alt
	}
	return &t.main
}

// picture returns a Snapshot without rows.
func (t *Terminal) picture(p *page) *Snapshot {
	at := &t.cursor
	if p != t.page {
		at = &p.saved
	}
	s := &Snapshot{
		Cols: t.cols, Rows: t.rows,
		Cursor: Cursor{
			Col: at.col, Row: at.row, Pending: at.pending,
			Visible: t.modes&modeVisible != 0, Blinking: t.modes&modeBlink != 0, Shape: t.shape,
		},
		Title: t.title, Icon: t.icon, Cwd: t.cwd, Clipboard: t.clipboard,
		Modes: t.exported(), Palette: t.palette,
		styles: t.styles.list, clusters: t.clusters.list, links: t.links.list,
	}
	return s
}

// copyRows copies the rows of the view: those of the scrollback without its newest skip rows, then
// rows.
func (t *Terminal) copyRows(s *Snapshot, rows []*row, skip int, v View) {
	s.First = max(v.First, -s.History)
	last := min(v.Last, len(rows)-1)
	if s.First > last {
		s.First = min(max(s.First, 0), len(rows))
		return
	}
	at := func(i int) *row {
		if i < 0 {
			return t.history.at(len(t.history.rows) - skip + i)
		}
		return rows[i]
	}
	total := 0
	for i := s.First; i <= last; i++ {
		total += at(i).used
	}
	cells := make([]cell, 0, total)
	s.Lines = make([]Line, 0, last-s.First+1)
	for i := s.First; i <= last; i++ {
		r := at(i)
		start := len(cells)
		cells = append(cells, r.cells[:r.used]...)
		s.Lines = append(s.Lines, Line{Wrapped: r.wrapped, Marks: r.marks, cells: cells[start:len(cells):len(cells)]})
	}
}

// Cells yields the cells of line i of Lines, up to the last cell with a character or a style. A
// blank counts as a character. A wide character is one cell.
func (s *Snapshot) Cells(i int) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		cells := s.Lines[i].cells
		for col := 0; col < len(cells); col++ {
			c := cells[col]
			out := Cell{Col: col, Width: 1, Text: cellString(c, s.clusters), Style: s.styles[c.style()]}
			if c&cellWide != 0 {
				out.Width = 2
				col++
			}
			if !yield(out) {
				return
			}
		}
	}
}

// Runs yields line i of Lines as the longest runs of one style, and ends where Cells ends. Cells
// without a character yield blanks.
func (s *Snapshot) Runs(i int) iter.Seq[Run] {
	return func(yield func(Run) bool) {
		cells := s.Lines[i].cells
		var text []byte
		for start := 0; start < len(cells); {
			end := start
			text = text[:0]
			for end < len(cells) && cells[end].style() == cells[start].style() {
				text = appendCell(text, cells[end], s.clusters)
				end++
			}
			if !yield(Run{Col: start, Width: end - start, Text: string(text), Style: s.styles[cells[start].style()]}) {
				return
			}
			start = end
		}
	}
}

// Text returns the text of line i of Lines, without the blanks at its end. With keepBlanks it keeps
// the blanks that the program wrote.
func (s *Snapshot) Text(i int, keepBlanks bool) string {
	cells := s.Lines[i].cells
	for len(cells) > 0 {
		c := cells[len(cells)-1]
		if c.written() && (keepBlanks || c&(cellText|cellCluster|cellTail) != ' ') {
			break
		}
		cells = cells[:len(cells)-1]
	}
	b := make([]byte, 0, len(cells))
	for _, c := range cells {
		b = appendCell(b, c, s.clusters)
	}
	return string(b)
}

// Linked reports whether any style of s may have a hyperlink.
func (s *Snapshot) Linked() bool { return len(s.links) > 1 }

// Link returns the hyperlink of a style in s, if it has one.
func (s *Snapshot) Link(style Style) (Link, bool) {
	if style.link == 0 || int(style.link) >= len(s.links) {
		return Link{}, false
	}
	return s.links[style.link], true
}
