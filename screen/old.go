package screen

// MarkOld marks all characters that the program has written until now. A mark moves with its character, and goes when the
// program writes there again, also the same character.
func (t *Terminal) MarkOld() {
	t.frame.detach(t) // other snapshots share its cells
	t.eachRow(func(cells []cell) {
		for i, c := range cells {
			if c.written() {
				cells[i] = c | cellOld
			}
		}
	})
}

// Old reports for each byte of Text(i, true) whether it is a character from before the last MarkOld, or a blank that no program
// wrote.
func (s *Snapshot) Old(i int) (old []bool) {
	for _, c := range s.Lines[i].cells {
		for range len(appendCell(nil, c, s.clusters)) {
			old = append(old, c&cellOld != 0 || !c.written())
		}
	}
	return old
}
