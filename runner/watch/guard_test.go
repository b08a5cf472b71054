package watch

import (
	"fmt"
	"testing"

	"devtools/stack/files"
)

// A new file in each round, which is filled in the next one, makes a row of rounds. A file that is written in a round ends it.
func TestRoundsInARow(t *testing.T) {
	name := func(round int) string { return fmt.Sprintf("made.%d", round) }
	for what, change := range map[string]func(round int) files.Change{
		"filled late": func(round int) files.Change { return files.Change{Path: name(round - 1), Reason: files.Content} },
		"removed":     func(round int) files.Change { return files.Change{Path: name(round - 1), Reason: files.Deleted} },
	} {
		r := newRounds()
		for round := range mostRow + 1 {
			r.add(files.Change{Path: name(round), Reason: files.Added})
			if round > 0 {
				r.add(change(round))
			}
			r.next()
		}
		if r.row < mostRow {
			t.Errorf("%s: %d rounds in a row, want %d", what, r.row, mostRow)
		}
		r.add(files.Change{Path: "source", Reason: files.Content})
		r.next()
		if r.row != 0 {
			t.Errorf("%s: %d rounds in a row after an old file was written", what, r.row)
		}
	}
}
