package screen

// The largest size of a terminal. Larger sizes are clamped to it.
const (
	MaxCols = 1000
	MaxRows = 500
)

// A Terminal is the model of a terminal. The output of a program goes in, and the picture that a
// person would see comes out. It follows xterm (ctlseqs), and with it the VT420 (DEC STD 070) and
// ECMA-48, with the extensions that today's programs use. DEC line drawing is kept as Unicode. The
// terminal starts as a VT220. For what only a VT420 has (left and right margins, moving columns,
// rectangles) a program has to ask with DECSCL, as on the real terminal.
//
// The picture depends only on the bytes and on the changes of size between them, not on how the
// bytes were split. The memory of a Terminal is bounded. One goroutine uses it; its snapshots may go
// to others.
type Terminal struct {
	parser parser
	size
	pages
	history history

	cursor
	margins
	printing
	tabs []bool // the columns with a tab stop

	settings
	tables
	palette Palette
	labels
	clipboard string // the text that the program last copied with OSC 52
	frame     frame
	onReply   func(answer []byte)
	written   int // in the bytes of the present Write: where the control or the text begins that is handled
}

// The size of the screen, in cells.
type size struct{ cols, rows int }

// The pages are the main and the alternate screen.
type pages struct {
	main, alt page
	page      *page // the one in use
}

// A page is one of a terminal's two screens.
type page struct {
	rows  []*row
	saved cursor // DECSC
}

// A cursor says where and how the terminal writes the next character. DECSC saves all of it.
type cursor struct {
	col, row int
	pending  bool // the next character goes to the next row first
	origin   bool // DECOM: rows and columns count from the margins
	style    Style
	pen      cell // style as the style of a cell
	charsets charsets
	kept     bool // DECSC has saved this cursor
}

// The margins are the borders of the scroll region. Both rows and both columns belong to the region.
type margins struct {
	top, bottom int
	left, right int
}

// The printing state is what the terminal needs from one character to the next.
type printing struct {
	blank    cell // an erased cell gets this one, with the background of the pen
	direct   bool // ASCII goes straight into the cells
	wrapping bool // a line is about to continue in the next row
	joining  bool // the last input was a character, so that the next may join its cluster
	last     rune // REP repeats it; 0 is none
	scratch  []byte
}

// The settings are what a program sets about keys, mouse, cursor and modes.
type settings struct {
	level      int // of conformance: a VT220 is 2, a VT420 4 (DECSCL)
	modes      modeSet
	savedModes [2]modeSet // XTSAVE: which modes are saved, and which of these were set
	mouse      Mouse
	encoding   int // the mode of the mouse's encoding, or 0
	shape      CursorShape
	keyboard   [2]keyboard // of main and alt
	otherKeys  int         // xterm's modifyOtherKeys
	hiddenRow  int         // row of the cursor when it was last hidden, from the start of the output
}

// The tables hold what does not fit in a cell, which has its number there.
type tables struct {
	styles   table[Style]
	clusters table[string]
	links    table[Link]
}

// The labels are what the program calls its window and its folder.
type labels struct {
	title, icon string
	titles      []titles // the stack of XTWINOPS 22
	cwd         string
}

// New returns a terminal of cols x rows. It keeps up to scrollback lines that have left its top.
func New(cols, rows, scrollback int) *Terminal {
	t := &Terminal{}
	t.cols, t.rows = clampSize(cols, rows)
	t.styles.init(maxStyles)
	t.clusters.init(maxClusters)
	t.links.init(maxLinks)
	t.history.limit(scrollback, t.cols)
	t.reset()
	return t
}

// Size returns the size of the screen in cells.
func (t *Terminal) Size() (cols, rows int) { return t.cols, t.rows }

// Modes returns the current settings, also while the program draws a frame.
func (t *Terminal) Modes() Modes { return t.exported() }

// SetScrollback sets the largest number of lines of scrollback, up to MaxScrollback. The oldest
// lines beyond it are dropped.
func (t *Terminal) SetScrollback(lines int) {
	t.history.limit(lines, t.cols)
	t.history.trim()
}

// OnReply sets the function that Write calls with each answer to a query of the program. The
// function may keep the answer.
func (t *Terminal) OnReply(reply func(answer []byte)) { t.onReply = reply }

// Index returns, for the function of OnReply, where in the bytes of the Write the query begins. It is 0 if the query
// began in an earlier Write.
func (t *Terminal) Index() int { return t.written }

// Write takes output of the program, split anywhere. It takes all of b and
// never fails.
func (t *Terminal) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		t.written = len(b) - len(rest)
		rest = rest[t.parser.next(rest, t):]
	}
	return len(b), nil
}

// reset makes t what it is when it is switched on (RIS), but for the
// scrollback, and for the state of the parser.
func (t *Terminal) reset() {
	if t.main.rows == nil {
		t.main = newPage(t.cols, t.rows)
	}
	for _, p := range []*page{&t.main, &t.alt} {
		for _, r := range p.rows {
			r.clear(0)
		}
		p.saved = cursor{}
	}
	t.page = &t.main
	t.startLine(0)
	t.settings = settings{level: 2, modes: modeWrap | modeVisible | modeBlink}
	t.palette = Palette{}
	t.labels = labels{}
	t.frame.before = nil
	t.tabs = defaultTabs(t.cols)
	t.softReset()
	t.cursor = cursor{}
	t.updatePen()
}

// softReset is DECSTR (VT510 manual): modes, margins, the
// pen and the character sets; neither the text nor the cursor.
func (t *Terminal) softReset() {
	t.modes = t.modes&^(modeInsert|modeAppCursor|modeAppKeypad|modeMargins|modeReverseWrap) | modeWrap | modeVisible
	t.resetMargins()
	col, row := t.col, t.row
	t.cursor = cursor{col: col, row: row}
	t.page.saved = cursor{}
	t.last, t.joining = 0, false
	t.updatePen()
}

func clampSize(cols, rows int) (int, int) {
	return min(max(cols, 1), MaxCols), min(max(rows, 1), MaxRows)
}

func newPage(cols, rows int) page {
	p := page{rows: make([]*row, rows)}
	cells := make([]cell, cols*rows)
	all := make([]row, rows)
	for i := range all {
		all[i].cells = cells[i*cols : (i+1)*cols : (i+1)*cols]
		p.rows[i] = &all[i]
	}
	return p
}

// resetMargins makes the whole screen the scroll region.
func (t *Terminal) resetMargins() {
	t.margins = margins{top: 0, bottom: t.rows - 1, left: 0, right: t.cols - 1}
}

// line returns the row of the cursor.
func (t *Terminal) line() *row { return t.page.rows[t.row] }

// limit returns the last column that the cursor can be written to from where it is.
func (t *Terminal) limit() int {
	if t.col > t.right {
		return t.cols - 1
	}
	return t.right
}

// inMargins reports whether the cursor is within the scroll region.
func (t *Terminal) inMargins() bool {
	return t.row >= t.top && t.row <= t.bottom && t.col >= t.left && t.col <= t.right
}
