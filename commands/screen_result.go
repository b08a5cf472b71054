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
	Name        string         `json:"name,omitzero"` // absent with --from
	SessionID   string         `json:"sessionId,omitzero"`
	Status      string         `json:"status,omitzero"`
	Size        ledger.Size    `json:"size"`
	Rows        []string       `json:"rows,omitzero"` // absent with --diff
	FirstRow    int            `json:"firstRow"`      // number of rows[0]
	Scrollback  int            `json:"scrollback"`    // number of rows above the screen
	Wrapped     []int          `json:"wrapped"`       // rows whose line continues in the next row
	Cursor      screenCursor   `json:"cursor"`
	Title       string         `json:"title"`
	Cwd         string         `json:"cwd,omitzero"`
	Modes       screenModes    `json:"modes"`
	Links       []screenLink   `json:"links"`
	Marks       []screenMark   `json:"marks"`
	Clipboard   string         `json:"clipboard,omitzero"`
	Runs        [][]screenRun  `json:"runs,omitzero"`
	Diff        *screenChanges `json:"diff,omitempty"`
	Hash        string         `json:"hash"`
	Offset      int64          `json:"offset"`      // offset in the log that the picture shows
	OutputBytes int64          `json:"outputBytes"` // size of the log at the time of the request, in bytes
	Closed      bool           `json:"closed"`      // the picture will not change any more
}

type screenCursor struct {
	Col      int    `json:"col"`
	Row      int    `json:"row"`
	Visible  bool   `json:"visible"`
	Shape    string `json:"shape"`
	Blinking bool   `json:"blinking"`
	Pending  bool   `json:"pendingWrap"`
}

type screenModes struct {
	Alternate         bool   `json:"alternate"`
	ApplicationCursor bool   `json:"applicationCursor"`
	ApplicationKeypad bool   `json:"applicationKeypad"`
	BracketedPaste    bool   `json:"bracketedPaste"`
	Mouse             string `json:"mouse"` // off, x10, normal, button or any
	MouseEncoding     string `json:"mouseEncoding,omitzero"`
	Focus             bool   `json:"focusReports"`
	Synchronized      bool   `json:"synchronized"`
	Graphemes         bool   `json:"graphemeClusters"`
	ReverseVideo      bool   `json:"reverseVideo"`
	Insert            bool   `json:"insert"`
	Origin            bool   `json:"origin"`
	AutoWrap          bool   `json:"autoWrap"`
	LineFeedNewLine   bool   `json:"lineFeedNewLine"`
	Keyboard          int    `json:"keyboardFlags"` // flags of the kitty keyboard protocol
}

type screenLink struct {
	Row  int    `json:"row"`
	Col  int    `json:"col"`
	Text string `json:"text"`
	URI  string `json:"uri"`
	ID   string `json:"id,omitzero"`
}

// A screenMark is a place where, according to the shell's integration, something begins (OSC 133).
type screenMark struct {
	Row      int    `json:"row"`
	Col      int    `json:"col"`
	Kind     string `json:"kind"` // prompt, input, output or end
	ExitCode *int   `json:"exitCode,omitempty"`
}

// A screenRun is text in one style. Colours are palette numbers or #rrggbb. Absent fields have their default.
type screenRun struct {
	Col            int    `json:"col"`
	Width          int    `json:"width"`
	Text           string `json:"text"`
	Foreground     string `json:"fg,omitzero"`
	Background     string `json:"bg,omitzero"`
	Bold           bool   `json:"bold,omitzero"`
	Dim            bool   `json:"dim,omitzero"`
	Italic         bool   `json:"italic,omitzero"`
	Underline      string `json:"underline,omitzero"` // single, double, curly, dotted or dashed
	UnderlineColor string `json:"underlineColor,omitzero"`
	Blink          bool   `json:"blink,omitzero"`
	Reverse        bool   `json:"reverse,omitzero"`
	Hidden         bool   `json:"hidden,omitzero"`
	Strike         bool   `json:"strike,omitzero"`
	Overline       bool   `json:"overline,omitzero"`
	Link           string `json:"link,omitzero"`
}

// screenChanges has the rows that differ from an earlier picture.
type screenChanges struct {
	Since string      `json:"since"`
	Known bool        `json:"known"` // the earlier picture is known; otherwise Rows has all rows
	Rows  []screenRow `json:"rows"`
}

type screenRow struct {
	Row  int    `json:"row"`
	Text string `json:"text"`
}

// newScreenResult returns the output of screen --json.
func newScreenResult(cmd *cli.Command, session ledger.Session, pic wire.Picture) screenResult {
	s := pic.Snapshot
	r := screenResult{
		Name: session.Name, SessionID: session.ID, Status: session.Status,
		Size:     ledger.Size{Cols: s.Cols, Rows: s.Rows},
		FirstRow: s.First, Scrollback: s.History, Wrapped: []int{},
		Cursor: screenCursor{
			Col: s.Cursor.Col, Row: s.Cursor.Row, Visible: s.Cursor.Visible,
			Shape: s.Cursor.Shape.String(), Blinking: s.Cursor.Blinking, Pending: s.Cursor.Pending,
		},
		Title: s.Title, Cwd: folderOf(s.Cwd), Modes: newScreenModes(s.Modes), Clipboard: s.Clipboard,
		Links: []screenLink{}, Marks: []screenMark{},
		Hash: s.Hash(), Offset: pic.Offset, OutputBytes: pic.Printed, Closed: pic.Closed,
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
