package commands

import (
	"net/url"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/wire"
	"devtools/screen"
)

// A screenResult is the output of screen --json. Rows and columns count from 0 at the top left of the screen. Rows of
// the scrollback are negative.
type screenResult struct {
	Name           string         `json:"name,omitzero"`      // name of the session; absent with --from
	SessionID      string         `json:"sessionId,omitzero"` // id of the session; absent with --from
	Status         string         `json:"status,omitzero"`    // status of the session, as in ps; absent with --from
	Size           ledger.Size    `json:"size"`               // size of the terminal
	Rows           []string       `json:"rows,omitzero"`      // text of each row; absent with --diff
	FirstRow       int            `json:"firstRow"`           // number of the first row in rows
	ScrollbackRows int            `json:"scrollbackRows"`     // number of rows above the screen
	Wrapped        []int          `json:"wrapped"`            // rows whose line continues in the next row
	Cursor         screenCursor   `json:"cursor"`             // the cursor
	Title          string         `json:"title"`              // title of the terminal's window
	Cwd            string         `json:"cwd,omitzero"`       // working directory, if the program tells it (OSC 7)
	Modes          screenModes    `json:"modes"`              // what the program has switched on
	Links          []screenLink   `json:"links"`              // links in the rows (OSC 8)
	Marks          []screenMark   `json:"marks"`              // places where a prompt, a command or its output begins (OSC 133)
	Clipboard      string         `json:"clipboard,omitzero"` // text that the program put into the clipboard (OSC 52)
	Runs           [][]screenRun  `json:"runs,omitzero"`      // with --runs: the text of each row by style
	Diff           *screenChanges `json:"diff,omitempty"`     // with --diff: what has changed
	Hash           string         `json:"hash"`               // hash of the picture
	Offset         int64          `json:"offset"`             // offset in the log that the picture shows
	EndOffset      int64          `json:"endOffset"`          // end of the output at the time of the request
	FromLog        bool           `json:"fromLog"`            // the holder does not answer: the picture is made from the log
	Closed         bool           `json:"closed"`             // the picture will not change any more
}

// A cursorResult is the output of screen --cursor --json.
type cursorResult struct {
	Cursor screenCursor `json:"cursor"` // the cursor
}

// A hashResult is the output of screen --hash --json.
type hashResult struct {
	Hash string `json:"hash"` // hash of the picture
}

// A screenCursor is the cursor of a terminal.
type screenCursor struct {
	Col      int    `json:"col"`         // its column
	Row      int    `json:"row"`         // its row
	Visible  bool   `json:"visible"`     // the terminal shows it
	Shape    string `json:"shape"`       // shape of the cursor: block, underline or bar
	Blinking bool   `json:"blinking"`    // it blinks
	Pending  bool   `json:"pendingWrap"` // the row is full: the next character begins a new one
}

// screenModes are the modes of a terminal.
type screenModes struct {
	Alternate         bool   `json:"alternate"`              // the alternate screen is in use
	ApplicationCursor bool   `json:"applicationCursor"`      // arrow keys send other sequences (DECCKM)
	ApplicationKeypad bool   `json:"applicationKeypad"`      // keypad keys send other sequences (DECKPAM)
	BracketedPaste    bool   `json:"bracketedPaste"`         // pastes are marked (2004)
	Mouse             string `json:"mouse"`                  // reports of the mouse: off, x10, normal, button or any
	MouseEncoding     string `json:"mouseEncoding,omitzero"` // encoding of these reports
	Focus             bool   `json:"focusReports"`           // the terminal reports its focus (1004)
	Synchronized      bool   `json:"synchronized"`           // a frame is being drawn (2026)
	Graphemes         bool   `json:"graphemeClusters"`       // a grapheme cluster is one character (2027)
	ReverseVideo      bool   `json:"reverseVideo"`           // the whole screen is reversed (DECSCNM)
	Insert            bool   `json:"insert"`                 // new characters move others to the right (IRM)
	Origin            bool   `json:"origin"`                 // rows count from the scrolling region (DECOM)
	AutoWrap          bool   `json:"autoWrap"`               // long lines wrap (DECAWM)
	LineFeedNewLine   bool   `json:"lineFeedNewLine"`        // a line feed begins a new line (LNM)
	Keyboard          int    `json:"keyboardFlags"`          // flags of the kitty keyboard protocol
}

// A screenLink is a link on the screen.
type screenLink struct {
	Row  int    `json:"row"`         // row of the link
	Col  int    `json:"col"`         // column at which it begins
	Text string `json:"text"`        // text of the link
	URI  string `json:"uri"`         // target of the link
	ID   string `json:"id,omitzero"` // name that the parts of one link have in common
}

// A screenMark is a place where, according to the shell's integration, something begins (OSC 133).
type screenMark struct {
	Row      int    `json:"row"`                // row of the mark
	Col      int    `json:"col"`                // column of the mark
	Kind     string `json:"kind"`               // what begins: prompt, input, output or end
	ExitCode *int   `json:"exitCode,omitempty"` // of an end: exit code of the command
}

// A screenRun is text in one style. Colours are palette numbers or #rrggbb. Absent fields have their default.
type screenRun struct {
	Col            int    `json:"col"`                     // column at which the text begins
	Width          int    `json:"width"`                   // number of columns
	Text           string `json:"text"`                    // the text
	Foreground     string `json:"fg,omitzero"`             // colour of the text
	Background     string `json:"bg,omitzero"`             // colour behind the text
	Bold           bool   `json:"bold,omitzero"`           // it is bold
	Dim            bool   `json:"dim,omitzero"`            // it is dim
	Italic         bool   `json:"italic,omitzero"`         // it is italic
	Underline      string `json:"underline,omitzero"`      // how the text is underlined: single, double, curly, dotted or dashed
	UnderlineColor string `json:"underlineColor,omitzero"` // colour of the line below
	Blink          bool   `json:"blink,omitzero"`          // it blinks
	Reverse        bool   `json:"reverse,omitzero"`        // foreground and background are exchanged
	Hidden         bool   `json:"hidden,omitzero"`         // it is not visible
	Strike         bool   `json:"strike,omitzero"`         // it is struck through
	Overline       bool   `json:"overline,omitzero"`       // it has a line above
	Link           string `json:"link,omitzero"`           // target of its link
}

// screenChanges has the rows that differ from an earlier picture.
type screenChanges struct {
	Since string      `json:"since"`       // hash of the earlier picture
	Known bool        `json:"known"`       // the earlier picture is known; otherwise changedRows has all rows
	Rows  []screenRow `json:"changedRows"` // the rows that differ
}

// A screenRow is a row of the screen.
type screenRow struct {
	Row  int    `json:"row"`  // number of the row
	Text string `json:"text"` // text of the row
}

// newScreenResult returns the output of screen --json.
func newScreenResult(cmd *cli.Command, session ledger.Session, pic wire.Picture) screenResult {
	s := pic.Snapshot
	r := screenResult{
		Name: session.Name, SessionID: session.ID, Status: session.Status,
		Size:     ledger.Size{Cols: s.Cols, Rows: s.Rows},
		FirstRow: s.First, ScrollbackRows: s.History, Wrapped: []int{},
		Cursor: newScreenCursor(s),
		Title:  s.Title, Cwd: folderOf(s.Cwd), Modes: newScreenModes(s.Modes), Clipboard: s.Clipboard,
		Links: []screenLink{}, Marks: []screenMark{},
		Hash: s.Hash(), Offset: pic.Offset, EndOffset: pic.Printed, FromLog: pic.Stuck != nil, Closed: pic.Closed,
	}
	keep, runs := cmd.Bool("keep-blanks"), cmd.Bool("runs") // read once, because cli is slow
	if cmd.IsSet("diff") {
		r.Diff = &screenChanges{Since: cmd.String("diff"), Known: pic.Known, Rows: []screenRow{}}
		for _, i := range pic.Changed {
			r.Diff.Rows = append(r.Diff.Rows, screenRow{s.First + i, s.Text(i, keep)})
		}
	} else {
		r.Rows = screenRows(s, keep, cmd.Bool("join"), cmd.Bool("trim"))
	}
	for i, line := range s.Lines {
		if line.Wrapped {
			r.Wrapped = append(r.Wrapped, s.First+i)
		}
		for _, m := range line.Marks {
			r.Marks = append(r.Marks, newScreenMark(s.First+i, m))
		}
		if runs || s.Linked() {
			r.addRuns(s, i, runs)
		}
	}
	return r
}

// screenRows returns the rows as text. keep keeps the spaces at the ends of rows. join joins wrapped rows. trim
// removes empty rows at the end.
func screenRows(s *screen.Snapshot, keep, join, trim bool) []string {
	rows := make([]string, 0, len(s.Lines))
	joined := false
	for i, line := range s.Lines {
		goesOn := join && line.Wrapped && i+1 < len(s.Lines)
		text := s.Text(i, keep || join)
		if joined {
			rows[len(rows)-1] += text
		} else {
			rows = append(rows, text)
		}
		joined = goesOn
	}
	for trim && len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// addRuns adds the links of a line, and with all also its runs.
func (r *screenResult) addRuns(s *screen.Snapshot, i int, all bool) {
	var runs []screenRun
	var before screen.Link
	for run := range s.Runs(i) {
		link, linked := s.Link(run.Style)
		switch n := len(r.Links); {
		case !linked:
		case n > 0 && before == link && r.Links[n-1].Row == s.First+i: // one link in several styles
			r.Links[n-1].Text += run.Text
		default:
			r.Links = append(r.Links, screenLink{Row: s.First + i, Col: run.Col, Text: run.Text, URI: link.URI, ID: link.ID})
		}
		before = link
		if all {
			runs = append(runs, newScreenRun(run, link))
		}
	}
	if all {
		r.Runs = append(r.Runs, append([]screenRun{}, runs...))
	}
}

func newScreenRun(run screen.Run, link screen.Link) screenRun {
	style := run.Style
	return screenRun{
		Col: run.Col, Width: run.Width, Text: run.Text,
		Foreground: style.Foreground.String(), Background: style.Background.String(),
		Bold: style.Has(screen.Bold), Dim: style.Has(screen.Dim), Italic: style.Has(screen.Italic),
		Underline: style.Underline.String(), UnderlineColor: style.UnderlineColor.String(),
		Blink: style.Has(screen.Blink), Reverse: style.Has(screen.Reverse), Hidden: style.Has(screen.Hidden),
		Strike: style.Has(screen.Strike), Overline: style.Has(screen.Overline), Link: link.URI,
	}
}

func newScreenCursor(s *screen.Snapshot) screenCursor {
	return screenCursor{
		Col: s.Cursor.Col, Row: s.Cursor.Row, Visible: s.Cursor.Visible,
		Shape: s.Cursor.Shape.String(), Blinking: s.Cursor.Blinking, Pending: s.Cursor.Pending,
	}
}

func newScreenMark(row int, m screen.Mark) screenMark {
	kinds := map[byte]string{'A': "prompt", 'B': "input", 'C': "output", 'D': "end"}
	mark := screenMark{Row: row, Col: m.Col, Kind: kinds[m.Kind]}
	if m.Kind == 'D' && m.ExitCode >= 0 {
		mark.ExitCode = &m.ExitCode
	}
	return mark
}

func newScreenModes(m screen.Modes) screenModes {
	mice := map[screen.Mouse]string{
		screen.NoMouse: "off", screen.MouseX10: "x10", screen.MouseNormal: "normal",
		screen.MouseButton: "button", screen.MouseAny: "any",
	}
	return screenModes{
		Alternate: m.Alternate, ApplicationCursor: m.ApplicationCursor, ApplicationKeypad: m.ApplicationKeypad,
		BracketedPaste: m.BracketedPaste, Mouse: mice[m.Mouse], MouseEncoding: m.MouseEncoding, Focus: m.Focus,
		Synchronized: m.Synchronized, Graphemes: m.Graphemes, ReverseVideo: m.ReverseVideo, Insert: m.Insert,
		Origin: m.Origin, AutoWrap: m.AutoWrap, LineFeedNewLine: m.LineFeedNewLine, Keyboard: m.Keyboard,
	}
}

// folderOf returns the path in a file URL, the form of OSC 7. It returns other text unchanged.
func folderOf(cwd string) string {
	if u, err := url.Parse(cwd); err == nil && u.Scheme == "file" && u.Path != "" {
		return u.Path
	}
	return cwd
}
