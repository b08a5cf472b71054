//go:build unix

package attach

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/term"

	"devtools/ledger"
)

// A terminal is the person's terminal: its settings and its size. Several goroutines may use it.
type terminal struct {
	in, out *os.File
	mu      sync.Mutex
	saved   *term.State // the person's settings while the terminal is raw; otherwise nil
}

// makeRaw makes the terminal raw. It keeps the first settings until restore.
func (t *terminal) makeRaw() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	saved, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotAttachable, err)
	}
	if t.saved == nil {
		t.saved = saved
	}
	return nil
}

// restore calls leave and then restores the person's settings. It does nothing if the terminal is not raw.
func (t *terminal) restore(leave func()) {
	t.mu.Lock()
	saved := t.saved
	t.saved = nil
	t.mu.Unlock()
	if saved == nil {
		return
	}
	leave()
	_ = term.Restore(int(t.in.Fd()), saved) // a terminal that is gone needs no settings
}

// size returns the size of the window. known is false where the system does not tell it.
func (t *terminal) size() (size ledger.Size, known bool) {
	cols, rows, err := term.GetSize(int(t.out.Fd()))
	if err != nil || cols <= 0 || rows <= 0 {
		return size, false
	}
	return ledger.Size{Cols: cols, Rows: rows}, true
}
