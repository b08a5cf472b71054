package commands

import (
	"strings"
	"testing"
)

// Columns are those of a terminal, not bytes or characters.
func TestWriteColumns(t *testing.T) {
	var b strings.Builder
	rows := [][]string{{"FILE", "REASON"}, {"㊗日本.cast", ""}, {"e\u0301.raw", "full"}}
	if err := writeColumns(&b, rows); err != nil {
		t.Fatal(err)
	}
	want := "FILE         REASON\n㊗日本.cast\ne\u0301.raw        full\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
