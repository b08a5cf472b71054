package wire

import (
	"devtools/ledger"
	"devtools/screen"
)

// Scrollback returns how many rows that have left the screen the session keeps at most.
func Scrollback(s ledger.Session) int {
	if s.Scrollback != nil {
		return *s.Scrollback
	}
	return screen.DefaultScrollback
}

// NewTerminal returns the terminal that a session of the size prints to. Without one, its lines end with
// a bare line feed.
func NewTerminal(size ledger.Size, scrollback int) *screen.Terminal {
	if size != (ledger.Size{}) {
		return screen.New(size.Cols, size.Rows, scrollback)
	}
	t := screen.New(DefaultSize.Cols, DefaultSize.Rows, scrollback)
	_, _ = t.Write([]byte("\x1b[20h")) // LNM
	return t
}

// DefaultSize is that of the picture of a session without a terminal.
var DefaultSize = ledger.Size{Cols: 80, Rows: 24}

// A Picture is what the terminal of a session shows, or showed.
type Picture struct {
	Snapshot *screen.Snapshot
	Offset   int64 // of the transcript, up to which it is the picture
	Printed  int64 // how far the transcript was when it was asked for: more than Offset in a flood
	Closed   bool  // the session has ended, and this is its last picture

	Stuck error // why the holder, which lives, did not answer: the picture is made from the transcript

	Known   bool  // the picture to compare with is known: Changed holds the lines that differ
	Changed []int // indexes of Snapshot.Lines
}

// Compare notes which lines have changed since the picture with the hash, which had these rows, nil if they
// are not known.
func (p *Picture) Compare(since string, rows []uint64) {
	if p.Known = rows != nil || since == p.Snapshot.Hash(); rows == nil && p.Known {
		return // it is the same one
	}
	for i, hash := range p.Snapshot.RowHashes() {
		if !p.Known || i >= len(rows) || rows[i] != hash {
			p.Changed = append(p.Changed, i)
		}
	}
}
