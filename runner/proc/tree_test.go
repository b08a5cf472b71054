package proc

import (
	"slices"
	"testing"
)

func TestTableTree(t *testing.T) {
	process := func(pid, parent int) Info { return Info{ID: ID{PID: pid}, Parent: parent} }
	table := tableOf([]Info{
		process(5, 3), process(1, 0), process(2, 1), process(3, 2), process(4, 2), process(9, 1),
		process(20, 21), process(21, 20), // lists are not read at one moment and may hold a circle
	})
	for root, want := range map[int][]int{1: {2, 9, 3, 4, 5}, 2: {3, 4, 5}, 5: nil, 7: nil, 20: {21}} {
		var got []int
		for _, p := range table.tree(root) {
			got = append(got, p.PID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("root %d: got %v, want %v", root, got, want)
		}
	}
}
