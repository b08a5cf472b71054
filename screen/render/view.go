// Package render writes a screen.Snapshot for people and programs: as text, as text with terminal
// sequences, as an HTML page, and as a picture (SVG and PNG) that needs no installed fonts. Anyone
// may have written the text of a screen. Whatever it contains, the result is well formed and loads
// nothing.
package render

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode"

	"devtools/screen"
	"devtools/screen/render/glyph"
)

// ErrTooLarge means that a screen is too large for a picture.
var ErrTooLarge = errors.New("too large for a picture")

// maxPixels is the largest number of pixels of a picture.
const maxPixels = 64_000_000

// A view is a snapshot with its visible colours and its cursor.
type view struct {
	*screen.Snapshot
	cols                   int          // at least the widest row, which may be older than the size of the screen
	foreground, background screen.Color // of the screen, as RGB
	cursorRow              int          // the index in Lines of the row with the cursor, -1 for none
}

func viewOf(s *screen.Snapshot) view {
	v := view{Snapshot: s, cols: s.Cols, cursorRow: -1}
	for i := range s.Lines {
		for c := range s.Cells(i) {
			v.cols = max(v.cols, c.Col+c.Width)
		}
	}
	if row := s.Cursor.Row - s.First; s.Cursor.Visible && row >= 0 && row < len(s.Lines) {
		v.cursorRow = row
	}
	v.foreground, v.background = v.colors(screen.Style{})
	return v
}

// pictureOf returns the view of a snapshot, or ErrTooLarge.
func pictureOf(s *screen.Snapshot) (view, error) {
	v := viewOf(s)
	if pixels := int64(v.cols) * glyph.Width * int64(len(v.Lines)) * glyph.Height; pixels > maxPixels {
		return v, fmt.Errorf("%d rows of %d columns are %d megapixels, %w, which has at most %d: ask for fewer rows",
			len(v.Lines), v.cols, pixels/1_000_000, ErrTooLarge, maxPixels/1_000_000)
	}
	return v, nil
}

// cells yields the cells of row i, at least up to the cursor, and whether the cursor is on them.
func (v view) cells(i int) iter.Seq2[screen.Cell, bool] {
	return func(yield func(screen.Cell, bool) bool) {
		end, cursor := 0, -1
		if i == v.cursorRow {
			cursor = v.Cursor.Col
		}
		for c := range v.Cells(i) {
			end = c.Col + c.Width
			if !yield(c, c.Col <= cursor && cursor < end) {
				return
			}
		}
		for ; end <= cursor; end++ {
			if !yield(screen.Cell{Col: end, Width: 1}, end == cursor) {
				return
			}
		}
	}
}

// colors returns the colours of a style, as RGB.
func (v view) colors(style screen.Style) (foreground, background screen.Color) {
	return v.Palette.Colors(style, v.Modes.ReverseVideo)
}

// underlineColor returns the colour of a style's underline, as RGB.
func (v view) underlineColor(style screen.Style) screen.Color {
	if !style.UnderlineColor.IsDefault() {
		style.Foreground = style.UnderlineColor
		style.Attributes &^= screen.Reverse | screen.Hidden
		c, _ := v.Palette.Colors(style, false)
		return c
	}
	c, _ := v.colors(style)
	return c
}

// cursorColor returns the colour of the cursor, as RGB.
func (v view) cursorColor() screen.Color {
	if !v.Palette.Cursor.IsDefault() {
		return v.Palette.Cursor
	}
	return v.foreground
}

// textColor returns the colour of the text in a cell. Under a block cursor that is the colour of the
// screen, so that the text stays readable.
func (v view) textColor(style screen.Style, underCursor bool) screen.Color {
	foreground, _ := v.colors(style)
	switch {
	case !underCursor || v.Cursor.Shape != screen.Block:
		return foreground
	case v.background == v.cursorColor():
		return v.foreground
	}
	return v.background
}

// backColor returns the colour behind a cell, which may be that of the cursor.
func (v view) backColor(style screen.Style, underCursor bool) screen.Color {
	if underCursor && v.Cursor.Shape == screen.Block {
		return v.cursorColor()
	}
	_, background := v.colors(style)
	return background
}

// title returns the title of a document.
func (v view) title() string {
	if title := strings.TrimSpace(v.Title); title != "" {
		return title
	}
	return "Terminal"
}

// clean replaces the characters that XML and HTML cannot contain with U+FFFD. It removes the
// characters that change the direction of text, because cells do not move.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case unicode.IsControl(r), r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
