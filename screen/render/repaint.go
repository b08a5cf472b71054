package render

import (
	"bufio"
	"fmt"
	"io"

	"devtools/screen"
)

// Repaint writes the sequences that make another terminal show s in its top left corner of cols x
// rows. That terminal shows before; nil means that its content is unknown. Repaint leaves out what
// does not fit, and puts the cursor where s has it. Only text, styles and links of s get through: no
// title, no mode, no query.
func Repaint(w io.Writer, before, s *screen.Snapshot, cols, rows int) error {
	out := bufio.NewWriter(w)
	var known []uint64
	if before != nil && before.First == s.First && before.Cols == s.Cols {
		known = before.RowHashes()
	}
	out.WriteString("\x1b[?2026h\x1b[?25l\x1b[m")
	hashes := s.RowHashes()
	for i := range rows {
		if i >= len(hashes) {
			if known == nil || i < len(known) {
				fmt.Fprintf(out, "\x1b[%d;1H\x1b[K", i+1)
			}
			continue
		}
		if i < len(known) && known[i] == hashes[i] {
			continue
		}
		fmt.Fprintf(out, "\x1b[%d;1H", i+1)
		columns := min(width(s, i, false, true), cols)
		for c := range s.Cells(i) { // half of a wide character may not fit
			if c.Col < columns && c.Col+c.Width > columns {
				columns = c.Col
			}
		}
		writeRow(out, s, i, columns, true)
		if columns < cols {
			out.WriteString("\x1b[K") // behind the last column it would erase that column
		}
	}
	row := s.Cursor.Row - s.First
	if s.Cursor.Visible && row >= 0 && row < min(rows, len(hashes)) && s.Cursor.Col < cols {
		style := 2*int(s.Cursor.Shape) + 2 // DECSCUSR, steady
		fmt.Fprintf(out, "\x1b[%d;%dH\x1b[%d q\x1b[?25h", row+1, s.Cursor.Col+1, style)
	}
	out.WriteString("\x1b[?2026l")
	return out.Flush()
}
