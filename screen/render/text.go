package render

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"devtools/screen"
)

// TextOptions say how rows become lines of text, in the terms of tmux
// capture-pane.
type TextOptions struct {
	KeepBlanks bool // -N: blanks at the end of a row are kept
	Join       bool // -J: a wrapped row is one line with the next; blanks are kept
	Numbers    bool // -L: each line begins with the number of its first row, which counts as Snapshot.First
	Trim       bool // empty rows at the end are left out

	Only func(i int) bool // the Snapshot.Lines to write; nil is all
}

// Text writes the rows of s as plain text, one line for each.
func Text(w io.Writer, s *screen.Snapshot, o TextOptions) error {
	return lines(w, s, o, false)
}

// ANSI writes the rows of s as text with sequences for styles and links (SGR and OSC 8). A terminal
// of the same width shows it as s shows it. Every line begins and ends in the default style.
func ANSI(w io.Writer, s *screen.Snapshot, o TextOptions) error {
	return lines(w, s, o, true)
}

// lines writes the rows of s, styled or plain.
func lines(w io.Writer, s *screen.Snapshot, o TextOptions, styled bool) error {
	out := bufio.NewWriter(w)
	rows := len(s.Lines)
	for o.Trim && rows > 0 && width(s, rows-1, false, styled) == 0 {
		rows--
	}
	digits := max(len(strconv.Itoa(s.First)), len(strconv.Itoa(s.First+rows-1)))
	joined := false
	for i := range rows {
		if o.Only != nil && !o.Only(i) {
			continue
		}
		if o.Numbers && !joined {
			number := strconv.Itoa(s.First + i)
			out.WriteString(strings.Repeat(" ", digits-len(number)) + number + "  ")
		}
		joined = o.Join && s.Lines[i].Wrapped && i+1 < rows
		writeRow(out, s, i, width(s, i, o.KeepBlanks || o.Join, styled), styled)
		if !joined {
			out.WriteByte('\n')
		}
	}
	return out.Flush()
}

// width returns the column behind the last content of row i. With written, blanks that the program
// wrote are content, otherwise only visible text. With styled, a blank in a visible style is content
// too.
func width(s *screen.Snapshot, i int, written, styled bool) int {
	end := 0
	for c := range s.Cells(i) {
		if !blank(c.Text) || written && c.Text != "" || styled && !invisible(c.Style) {
			end = c.Col + c.Width
		}
	}
	return end
}

func blank(text string) bool { return text == "" || text == " " }

// invisible reports whether a blank in the style looks like a blank in the default style.
func invisible(style screen.Style) bool {
	const seen = screen.Reverse | screen.Strike | screen.Overline
	return style.Background.IsDefault() && style.Underline == screen.NoUnderline && style.Attributes&seen == 0
}

// writeRow writes row i up to a column.
func writeRow(out *bufio.Writer, s *screen.Snapshot, i, columns int, styled bool) {
	p := pen{out: out, snapshot: s}
	for c := range s.Cells(i) {
		if c.Col >= columns {
			break
		}
		if styled {
			p.set(c.Style)
		}
		if c.Text == "" {
			out.WriteByte(' ')
		}
		out.WriteString(c.Text)
	}
	p.set(screen.Style{})
}
