package screen

// The limits of the values that cells refer to.
const (
	maxStyles   = 1 << 16
	maxClusters = 1 << 16
	maxLinks    = 1 << 11
)

// A table interns values: equal values have one number. Number 0 is the zero value. Values are only
// appended, so a Snapshot can share list. A sweep makes a new list.
type table[T comparable] struct {
	list  []T
	index map[T]uint32
	max   int
	wait  int // values to refuse before the next sweep
}

func (t *table[T]) init(limit int) {
	var zero T
	t.list, t.index, t.max, t.wait = []T{zero}, map[T]uint32{zero: 0}, limit, 0
}

// at returns value i.
func (t *table[T]) at(i uint32) T { return t.list[i] }

// number returns the number of v, and whether the table had room for it.
func (t *table[T]) number(v T) (uint32, bool) {
	if i, ok := t.index[v]; ok {
		return i, true
	}
	if len(t.list) >= t.max {
		t.wait = max(t.wait-1, 0)
		return 0, false
	}
	i := uint32(len(t.list))
	t.list = append(t.list, v)
	t.index[v] = i
	return i, true
}

// crowded reports whether it is time for a sweep. The table is full then, and if the last sweep
// freed little, it was long enough ago.
func (t *table[T]) crowded() bool { return len(t.list)+2 > t.max && t.wait == 0 }

// renumber makes a table of the values in use. It returns their new numbers, indexed by the old
// ones.
func (t *table[T]) renumber(used []bool, change func(T) T) []uint32 {
	old := t.list
	t.init(t.max)
	numbers := make([]uint32, len(old))
	for i, v := range old {
		if i > 0 && used[i] {
			numbers[i], _ = t.number(change(v)) // the old table had at least as many
		}
	}
	if len(t.list) > t.max/4*3 {
		t.wait = t.max / 4
	}
	return numbers
}

// sweep forgets the styles, clusters and links that no cell refers to.
func (t *Terminal) sweep() {
	styles := make([]bool, len(t.styles.list))
	clusters := make([]bool, len(t.clusters.list))
	links := make([]bool, len(t.links.list))
	t.eachRow(func(cells []cell) {
		for _, c := range cells {
			styles[c.style()] = true
			if c&cellCluster != 0 {
				clusters[c&cellText] = true
			}
		}
	})
	cursors := []*cursor{&t.cursor, &t.main.saved, &t.alt.saved}
	pens := []*cell{&t.pen, &t.blank, &t.main.saved.pen, &t.alt.saved.pen}
	for _, c := range cursors {
		links[c.style.link] = true
	}
	for _, c := range pens {
		styles[c.style()] = true
	}
	for i, used := range styles {
		if used {
			links[t.styles.list[i].link] = true
		}
	}

	newLinks := t.links.renumber(links, func(l Link) Link { return l })
	relink := func(s Style) Style { s.link = newLinks[s.link]; return s }
	newStyles := t.styles.renumber(styles, relink)
	newClusters := t.clusters.renumber(clusters, func(s string) string { return s })
	t.frame.detach(t)
	t.eachRow(func(cells []cell) {
		for i, c := range cells {
			text := c ^ c.styled()
			if c&cellCluster != 0 {
				text = text&^cellText | cell(newClusters[c&cellText])
			}
			cells[i] = text | cell(newStyles[c.style()])<<styleShift
		}
	})
	for _, c := range cursors {
		c.style = relink(c.style)
	}
	for _, c := range pens {
		*c = cell(newStyles[c.style()]) << styleShift
	}
}

// eachRow calls f with the used cells of every row that t has.
func (t *Terminal) eachRow(f func(cells []cell)) {
	for _, list := range [][]*row{t.history.rows, t.main.rows, t.alt.rows} {
		for _, r := range list {
			f(r.cells[:r.used])
		}
	}
	if t.frame.before != nil {
		for _, line := range t.frame.before.Lines {
			f(line.cells)
		}
	}
}
