package attach

import (
	"devtools/ledger"
	"devtools/screen"
)

// A painter draws pictures of a session in a window of another size. It draws only what has changed since the last one.
type painter struct {
	rows  []uint64      // hashes of the rows of the last picture; nil: draw all
	part  screen.Window // part of the session that the window shows
	title string
	modes screen.Modes // modes of the window
}

// newPainter returns a painter for a window with the modes of an unchanged terminal.
func newPainter() painter {
	return painter{modes: screen.New(1, 1, 0).Snapshot(screen.Visible()).Modes}
}

// forget makes the next draw draw all rows.
func (p *painter) forget() { p.rows = nil }

// draw returns output that shows the picture in a window of the size, above the rows of a notice.
func (p *painter) draw(pic *screen.Snapshot, window ledger.Size, below []string) (out []byte) {
	rows, part := pic.RowHashes(), pic.Window(window.Cols, window.Rows-len(below))
	if p.rows == nil {
		out = paintNotice(below, window)
	}
	all := p.rows == nil || part != p.part
	out = append(out, pic.Paint(part, func(row int) bool {
		i := part.Top + row
		is, was := i < len(rows), i < len(p.rows)
		return all || is != was || is && rows[i] != p.rows[i]
	})...)
	modes := pic.Modes
	if part.Left > 0 || part.Top > 0 {
		modes.Mouse = screen.NoMouse // the mouse would point at another cell
	}
	out = append(out, p.modes.Switch(modes)...)
	if pic.Title != p.title {
		out = append(out, "\x1b]2;"+pic.Title+"\x1b\\"...)
	}
	p.rows, p.part, p.modes, p.title = rows, part, modes, pic.Title
	return out
}
