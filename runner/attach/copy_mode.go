package attach

import (
	"fmt"
	"math"
	"unicode/utf8"

	"devtools/ledger"
	"devtools/screen"
)

// A copyMode is a look back: the scrollback and the screen of a session as they were when it began, and a cursor that moves
// there. Its rows count from 0, the oldest one of the scrollback.
type copyMode struct {
	pic      *screen.Snapshot
	window   ledger.Size // room for the picture
	top      int         // the first row in the window
	row, col int         // the cursor
	want     int         // the column that the cursor keeps from row to row
	finder   finder
	drawn    copyView // what the window shows
}

// A copyView is what decides how the rows of the window look.
type copyView struct {
	part     screen.Window
	searched string
}

// newCopyMode returns the copy mode for a picture with all rows, in a window that shows the end of it. The cursor is where that of
// the program is.
func newCopyMode(pic *screen.Snapshot, window ledger.Size) *copyMode {
	c := &copyMode{pic: pic, window: window}
	c.row, c.want = min(pic.Cursor.Row-pic.First, len(pic.Lines)-1), pic.Cursor.Col
	c.top = max(c.lowest(), 0)
	c.settle()
	return c
}

// fit notes the room that the window has for the picture.
func (c *copyMode) fit(window ledger.Size) {
	if c.window != window {
		c.window, c.drawn = window, copyView{}
		c.settle()
	}
}

// lowest returns the row at the top of a window that shows the end.
func (c *copyMode) lowest() int { return max(len(c.pic.Lines)-c.window.Rows, 0) }

// settle moves the window to the cursor, and the cursor to a character of its row.
func (c *copyMode) settle() {
	c.row = min(max(c.row, 0), len(c.pic.Lines)-1)
	c.top = min(max(c.top, c.row-c.window.Rows+1, 0), c.row, c.lowest())
	c.col = 0
	for cell := range c.pic.Cells(c.row) {
		if cell.Col > c.want {
			break
		}
		c.col = cell.Col
	}
}

// do does what a key stands for. It does not begin or end copy mode.
func (c *copyMode) do(a copyAction) {
	c.finder.failed = false
	page := max(c.window.Rows-2, 1) // two rows of the page before stay, as in tmux
	switch a.do {
	case moveUp:
		c.row--
	case moveDown:
		c.row++
	case moveLeft:
		c.want = c.col - 1
	case moveRight:
		c.moveRight()
	case pageUp:
		c.scroll(-page)
	case pageDown:
		c.scroll(page)
	case halfUp:
		c.scroll(-max(c.window.Rows/2, 1))
	case halfDown:
		c.scroll(max(c.window.Rows/2, 1))
	case moveTop:
		c.row, c.want = 0, 0
	case moveBottom:
		c.row, c.want = math.MaxInt, 0
	default:
		if to, found := c.finder.do(a, c.pic, place{c.row, c.col}); found {
			c.row, c.want = to.row, to.col
		}
	}
	c.settle()
}

// moveRight moves the cursor to the next character of its row.
func (c *copyMode) moveRight() {
	for cell := range c.pic.Cells(c.row) {
		if cell.Col > c.col {
			c.want = cell.Col
			return
		}
	}
}

// scroll moves the window by a number of rows, and the cursor with it. At an end of the text, the cursor moves in the window.
func (c *copyMode) scroll(rows int) {
	at, top := c.row-c.top, c.top+rows
	c.top = min(max(top, 0), c.lowest())
	if top != c.top {
		at = min(max(at+rows, 0), c.window.Rows-1)
	}
	c.row = c.top + at
}

// paint returns output that shows the window and the cursor. The terminal has its default pen before and after.
func (c *copyMode) paint() []byte {
	pic := *c.pic
	col, row := c.col, c.row
	if c.finder.prompting {
		col, row = 0, c.top // the cursor is in the prompt
	}
	pic.Cursor = screen.Cursor{Col: col, Row: row, Visible: true}
	view := copyView{pic.Window(c.window.Cols, c.window.Rows), c.finder.key()}
	view.part.Top = c.top
	last := c.window.Rows - 1
	out := pic.Paint(view.part, func(row int) bool { return view != c.drawn || row == 0 || row == last })
	c.drawn = view
	out = c.finder.highlight(out, c.pic, view.part)
	out = c.paintStatus(out)
	if c.finder.prompting {
		text := lastColumns(c.finder.prompt(), c.window.Cols-1)
		return fmt.Appendf(out, "\x1b[%d;1H%s%s\x1b[K\x1b[m\x1b[?25h", c.window.Rows, statusStyle, text)
	}
	return fmt.Appendf(out, "\x1b[%d;%dH", row-c.top+1, col-view.part.Left+1)
}

// The styles of copy mode, which are those of tmux.
const (
	statusStyle = "\x1b[30;43m"
	matchStyle  = "\x1b[30;46m"
)

// paintStatus appends the position at the top right: how many rows below the window there are, and how many there can be.
func (c *copyMode) paintStatus(out []byte) []byte {
	text := fmt.Sprintf("[%d/%d]", c.lowest()-c.top, c.lowest())
	if c.finder.failed {
		text = fmt.Sprintf("not found: %s %s", c.finder.text, text)
	}
	text = lastColumns(text, c.window.Cols)
	return fmt.Appendf(out, "\x1b[1;%dH%s%s\x1b[m", c.window.Cols-screen.Width(text)+1, statusStyle, text)
}

// lastColumns returns the end of text that takes at most columns columns.
func lastColumns(text string, columns int) string {
	for screen.Width(text) > max(columns, 0) {
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	return text
}
