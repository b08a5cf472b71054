//go:build !linux

package proc

// A lookout is what the watch of this system keeps.
type lookout struct{}

// look knows the settings of the terminal and its foreground group, of which it
// can look at no thread.
func (w *Watch) look() (reading, error) {
	var r reading
	front, err := w.tty.Foreground()
	if err != nil {
		return r, err
	}
	if r.Modes, err = w.tty.Modes(); err != nil {
		return r, err
	}
	p := member{pid: front, front: true, hidden: true, threads: []thread{{tid: front}}}
	if info, err := Read(front); err == nil {
		p.name = info.Name
	}
	r.processes = []member{p}
	return r, nil
}

// Sees reports whether Blocked can see anything on this system.
func (w *Watch) Sees() bool { return false }

// Blocked is not told by this system.
func (w *Watch) Blocked() (Block, bool) { return Block{}, false }

// Close frees what w has open. It may be used again.
func (w *Watch) Close() {}
