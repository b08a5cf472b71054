package screen

import "slices"

// A frame is the picture before the frame of synchronized output (mode 2026) that the program is
// drawing.
type frame struct {
	before *Snapshot
	pushed int
	number int // the number of frames so far
}

// setFrame begins or ends a frame. While the program draws it, a Snapshot shows the picture before
// it.
func (t *Terminal) setFrame(on bool) {
	switch {
	case !on:
		t.frame.before = nil
	case t.frame.before == nil:
		t.frame = frame{t.Snapshot(Visible()), t.history.pushed, t.frame.number + 1}
	}
}

// detach gives the frame its own cells, which a sweep may renumber, and the tables of t. Other
// snapshots share the old cells and tables.
func (f *frame) detach(t *Terminal) {
	if f.before == nil {
		return
	}
	s := *f.before
	s.Lines = slices.Clone(s.Lines)
	for i := range s.Lines {
		s.Lines[i].cells = slices.Clone(s.Lines[i].cells)
	}
	s.styles, s.clusters, s.links = t.styles.list, t.clusters.list, t.links.list
	f.before = &s
}

// Drawing reports whether the program is drawing a frame, which a Snapshot does not show yet, and
// the number of the last frame.
func (t *Terminal) Drawing() (number int, drawing bool) {
	return t.frame.number, t.frame.before != nil
}

// snapshotBefore returns the rows of the view as they were before the frame.
func (t *Terminal) snapshotBefore(v View) *Snapshot {
	s := *t.frame.before
	s.styles, s.clusters, s.links = t.styles.list, t.clusters.list, t.links.list // the tables have grown since
	all := s.Lines
	s.Lines = nil
	s.Modes.Synchronized = true
	since := min(t.history.pushed-t.frame.pushed, len(t.history.rows)) // rows that scrolled off since the frame began
	s.History = min(s.History, len(t.history.rows)-since)
	t.copyRows(&s, nil, since, v)
	from, to := max(v.First, 0), min(v.Last+1, len(all))
	if from < to {
		if len(s.Lines) == 0 {
			s.First = from
		}
		s.Lines = append(s.Lines, all[from:to]...)
	}
	return &s
}
