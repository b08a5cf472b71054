package screen

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// maxCluster is the most text in a cell, in bytes. Further marks are dropped.
const maxCluster = 64

// mark adds a character without width to the character before the cursor.
func (t *Terminal) mark(r rune) {
	row, col, ok := t.previous()
	if !ok {
		return
	}
	text := t.appendText(t.scratch[:0], row.cells[col])
	t.scratch = utf8.AppendRune(text, r)
	t.setCluster(row, col, t.scratch)
	row.used = max(row.used, col+1)
}

// previous returns the row and column of the character that the program wrote last before the
// cursor. At the left edge there is none.
func (t *Terminal) previous() (r *row, col int, ok bool) {
	r, col = t.line(), t.col
	if !t.pending {
		col--
	}
	if col > 0 && r.cells[col]&cellTail != 0 {
		col--
	}
	return r, col, col >= 0
}

// appendText appends the text of a cell, which is a blank if no program wrote to it.
func (t *Terminal) appendText(b []byte, c cell) []byte {
	return appendCell(b, c, t.clusters.list)
}

func appendCell(b []byte, c cell, clusters []string) []byte {
	switch {
	case c&cellTail != 0:
		return b
	case c&cellCluster != 0:
		return append(b, clusters[c&cellText]...)
	case c&cellText == 0:
		return append(b, ' ')
	}
	return utf8.AppendRune(b, rune(c&cellText))
}

func cellString(c cell, clusters []string) string {
	switch {
	case c&cellCluster != 0:
		return clusters[c&cellText]
	case c&cellText == 0:
		return ""
	}
	return string(rune(c & cellText))
}

// setCluster replaces the text of a cell and keeps its width and style. If the table of clusters is
// full, the cell keeps its text too.
func (t *Terminal) setCluster(r *row, col int, text []byte) {
	if len(text) > maxCluster {
		return
	}
	if t.clusters.crowded() {
		t.sweep()
	}
	n, ok := t.clusters.index[string(text)] // this conversion does not allocate
	if !ok {
		n, ok = t.clusters.number(string(text))
	}
	if ok {
		r.cells[col] = r.cells[col]&^cellText | cellCluster | cell(n)
	}
}

// joins adds r to the character before the cursor if the two are one grapheme cluster (UAX #29; mode
// 2027). The cluster may become two columns wide.
func (t *Terminal) joins(r rune) bool {
	row, col, ok := t.previous()
	if !ok || row.cells[col]&(cellText|cellCluster) == 0 {
		return false
	}
	text := t.appendText(t.scratch[:0], row.cells[col])
	last, _ := utf8.DecodeLastRune(text)
	if last < 0x300 && runeWidth(r) > 0 {
		return false // no cluster continues after such a character
	}
	joined := utf8.AppendRune(text, r)
	t.scratch = joined
	if _, rest, _, _ := uniseg.FirstGraphemeCluster(joined, -1); len(rest) > 0 {
		return false
	}
	if len(joined) > maxCluster {
		return true
	}
	t.setCluster(row, col, joined)
	if row.cells[col]&cellWide == 0 && !t.pending && widens(last, r) {
		row.splitBorders(t.col, t.col+1)
		row.cells[col] |= cellWide
		row.cells[col+1] = row.cells[col].styled() | cellTail
		row.wide = true
		row.used = max(row.used, col+2)
		t.advance(1, t.limit())
	}
	return true
}
