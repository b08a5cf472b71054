package wire

import (
	"devtools/ledger"
	"devtools/screen"
)

// Scrollback returns the maximum number of scrolled-off rows that the session keeps.
func Scrollback(s ledger.Session) int {
	if s.Scrollback != nil {
		return *s.Scrollback
	}
	return screen.DefaultScrollback
}

// NewTerminal returns the screen to which a session of the size prints. A session without a terminal has
// the size zero. Its lines end with a bare line feed.
func NewTerminal(size ledger.Size, scrollback int) *screen.Terminal {
	if size != (ledger.Size{}) {
		return screen.New(size.Cols, size.Rows, scrollback)
	}
	t := screen.New(DefaultSize.Cols, DefaultSize.Rows, scrollback)
	_, _ = t.Write([]byte("\x1b[20h")) // LNM
	return t
}

// DefaultSize is the size of the picture for a session without a terminal.
var DefaultSize = ledger.Size{Cols: 80, Rows: 24}

// A Picture is what the terminal of a session shows, or showed.
type Picture struct {
	Snapshot *screen.Snapshot
	Offset   int64 // position in the transcript that the picture shows
	Printed  int64 // end of the transcript at the time of the request; more than Offset in a flood
	Closed   bool  // the session has ended, and this is its last picture

	// Stuck is the reason why a holder that is alive did not answer. The picture is then made from the transcript.
	Stuck error

	// Known says that the picture to compare with is known. Changed then has the lines that differ.
	Known   bool
	Changed []int // indexes of Snapshot.Lines
}

// Compare notes which lines have changed since the picture with the hash since. The row hashes of that picture
// are rows, nil if they are not known.
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
